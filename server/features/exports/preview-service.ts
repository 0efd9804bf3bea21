import { exportFormats, type ExportFormat } from "@/domain/exports/formats";
import {
  defaultResults,
  defaultSplit,
  type ExportLoss,
  type PreviewExport,
  type SplitCounts,
  toShares,
} from "@/domain/exports/schema";
import { noPlan, type Outline, type TextFile } from "@/server/features/exports/format";
import { exportWriters } from "@/server/features/exports/formats";
import {
  countSelection,
  listClasses,
  readItems,
  readResults,
  selectedDatasets,
  type SelectedDataset,
  type SelectedItem,
  type SelectedResult,
  type TrainingSelection,
} from "@/server/features/exports/selection-queries";
import { canBeShown } from "@/server/features/exports/shown-cost";
import { requireSources } from "@/server/features/exports/sources-service";
import { Turns, type Steps } from "@/server/features/exports/steps";
import type { Tally } from "@/server/features/exports/tally";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, transaction } from "@/server/platform/db";
import { findOutage } from "@/server/platform/unavailable";

/** How long a preview may take, in milliseconds; what it could not count by then it leaves open. */
const maxMs = 2_000;
/** The text of the first item ends here, in characters. */
const maxShownText = 8_000;

export interface ExportPreview {
  /** Null when counting took too long. */
  count: number | null;
  without_accepted: number | null;
  /** How many items `labels` and `losses` were counted over: fewer than `count` when it took too long. */
  examined: number;
  /** In the order of the classes in the file. */
  labels: { label: string; shapes: number }[];
  formats: {
    format: ExportFormat;
    losses: { what: ExportLoss; count: number }[];
    /** Why nothing of this can be exported in the format, as a sentence for people. */
    refusal: string | null;
    /** Of the format that was asked for: how many pictures are in each part of a training set. */
    split: SplitCounts | null;
    /** How many items the file holds. */
    items: number;
    /** What the file holds of the first item with a result, or of the first item; of those that are small enough to be shown. */
    first: TextFile[];
  }[];
}

/**
 * What an export would hold, without making it. Counts by the code that writes the file. Throws `invalid` as
 * `createExport` does.
 */
export async function previewExport(ctx: Ctx, input: PreviewExport): Promise<ExportPreview> {
  const deadline = performance.now() + maxMs;
  await transaction(ctx, (tx) => requireSources(tx, input));
  const { datasets, slices, projects, results = defaultResults, filter_query_string: filter = "" } = input;
  const { split = defaultSplit, background = false, format = "YOLO" } = input;
  const selection = { datasets, slices, projects, filter, results, shares: toShares(split), background };
  const counted = await inTime(ctx, deadline, async (tx) =>
    countSelection(tx, selection, await selectedDatasets(tx, selection)),
  );
  const preview = new Preview(selection, format);
  await inTime(ctx, deadline, (tx) => preview.examine(tx, deadline));
  return {
    count: counted?.count ?? null,
    without_accepted: counted?.without_accepted ?? null,
    ...preview.toResult(),
  };
}

/** Runs statements until the deadline; undefined when they were stopped then. */
async function inTime<T>(ctx: Ctx, deadline: number, work: (tx: Ctx) => Promise<T>): Promise<T | undefined> {
  const left = Math.floor(deadline - performance.now());
  if (left <= 0) return undefined;
  try {
    return await transaction(ctx, async (tx) => {
      await execute(tx, Prisma.sql`select set_config('statement_timeout', ${`${left}ms`}, true)`);
      return work(tx);
    });
  } catch (error) {
    if (findOutage(error) === "timeout") return undefined;
    throw error;
  }
}

/** Goes through the selected items until all are counted or the time is over. */
class Preview {
  private examined = 0;
  private tallies: {
    format: ExportFormat;
    outline: Outline;
    tally: Tally;
    refusal: string | null;
    first: TextFile[];
  }[] = [];
  private first: { dataset: SelectedDataset; item: SelectedItem; results: number } | null = null;

  constructor(
    private readonly selection: TrainingSelection,
    /** The one whose parts are planned, which takes a look at all items. */
    private readonly planned: ExportFormat,
  ) {}

  async examine(tx: Ctx, deadline: number): Promise<void> {
    const datasets = await selectedDatasets(tx, this.selection);
    const classes = await listClasses(tx, this.selection, datasets);
    const { plan } = exportWriters[this.planned];
    const planned = (await plan?.({ ctx: tx, selection: this.selection, datasets, classes })) ?? noPlan;
    this.tallies = exportFormats.map((format) => {
      const { startTally, refuse } = exportWriters[format];
      const of = format === this.planned ? planned : noPlan;
      const outline = { classes, ...of, background: this.selection.background };
      return { format, outline, tally: startTally(outline), refusal: refuse?.(classes) ?? null, first: [] };
    });
    const turns = new Turns(deadline);
    for (const dataset of datasets) {
      for await (const items of readItems(tx, dataset, this.selection)) {
        for await (const part of readResults(tx, items, this.selection)) {
          for (const item of part.items)
            if (!(await turns.finish(this.add(dataset, item, part.results.get(item.uid) ?? [])))) return this.show(tx);
        }
      }
    }
    await this.show(tx);
  }

  /** Counts an item; one that is given up before its end is not counted in any format. */
  private *add(dataset: SelectedDataset, item: SelectedItem, results: readonly SelectedResult[]): Steps<void> {
    const counted: [all: Tally, own: Tally][] = [];
    for (const { format, outline, tally } of this.tallies) {
      const own = exportWriters[format].startTally(outline);
      yield* exportWriters[format].count(item, results, outline, own);
      counted.push([tally, own]);
    }
    for (const [all, own] of counted) all.add(own);
    this.examined += 1;
    const isBetter = this.first === null || (this.first.results === 0 && results.length > 0);
    if (isBetter && canBeShown(item, results)) this.first = { dataset, item, results: results.length };
  }

  private async show(tx: Ctx): Promise<void> {
    if (this.first === null) return;
    const { dataset, item } = this.first;
    const only = { ...dataset, where: Prisma.sql`${dataset.where} and i.uid = ${item.uid}` };
    for (const each of this.tallies) {
      const info = {
        name: "preview",
        created_at: databaseNow().toISOString(),
        format: each.format,
        filter_query_string: this.selection.filter,
      };
      const content = { ctx: tx, info, selection: this.selection, datasets: [only], onProgress: async () => {} };
      const files = await exportWriters[each.format].show(content, item, each.outline, each.tally);
      each.first = files.map(({ name, text }) => ({
        name,
        text: text.length > maxShownText ? `${text.slice(0, maxShownText)}\n…` : text,
      }));
    }
  }

  toResult(): Pick<ExportPreview, "examined" | "labels" | "formats"> {
    const everything = this.tallies.find(({ format }) => format === "avala-json-external")?.tally.toContents();
    return {
      examined: this.examined,
      labels: everything?.classes.map(({ name, count }) => ({ label: name, shapes: count })) ?? [],
      formats: this.tallies.map(({ format, tally, refusal, first }) => {
        const { items, losses, split = null } = tally.toContents();
        return { format, items, losses, refusal, split, first };
      }),
    };
  }
}
