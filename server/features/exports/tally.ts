import {
  exportLosses,
  type ExportContents,
  type ExportLoss,
  type SplitCounts,
  type SplitPart,
} from "@/domain/exports/schema";
import type { Classes } from "@/server/features/exports/class-numbers";

/** Counts what an export holds and what its format cannot hold, while it is written or previewed. */
export class Tally {
  private items = 0;
  private results = 0;
  private readonly counts = new Map<string, number>();
  private readonly losses = new Map<ExportLoss, number>();
  private split: SplitCounts | undefined;

  /** Labels of no class follow in the order in which they are met. `by`: how a training set is divided. */
  constructor(
    private readonly classes: Classes,
    by?: SplitCounts["by"],
  ) {
    if (by !== undefined) this.split = { by, train: 0, val: 0, test: 0 };
  }

  addItem(results: number): void {
    this.addItems(1, results);
  }

  addItems(items: number, results: number): void {
    this.items += items;
    this.results += results;
  }

  addAnnotations(label: string, count = 1): void {
    const name = this.classes.names[this.classes.numbers.get(label) ?? -1] ?? label;
    this.counts.set(name, (this.counts.get(name) ?? 0) + count);
  }

  addPicture(part: SplitPart): void {
    if (this.split) this.split[part] += 1;
  }

  lose(what: ExportLoss, count = 1): void {
    if (count > 0) this.losses.set(what, (this.losses.get(what) ?? 0) + count);
  }

  /** Adds what another one of the same export counted. */
  add(other: Tally): void {
    this.addItems(other.items, other.results);
    for (const [name, count] of other.counts) this.counts.set(name, (this.counts.get(name) ?? 0) + count);
    for (const [what, count] of other.losses) this.lose(what, count);
    if (!this.split || !other.split) return;
    this.split.train += other.split.train;
    this.split.val += other.split.val;
    this.split.test += other.split.test;
  }

  toContents(): ExportContents {
    const all = new Map([...this.classes.names.map((name) => [name, 0] as const), ...this.counts]);
    return {
      items: this.items,
      results: this.results,
      classes: Array.from(all, ([name, count]) => ({ name, count })),
      losses: exportLosses.flatMap((what) => {
        const count = this.losses.get(what);
        return count === undefined ? [] : [{ what, count }];
      }),
      ...(this.split && { split: { ...this.split } }),
    };
  }
}
