import type { Figures } from "@/engine/messages/scene-object";

/** What a message changes of what its topic shows. */
export type FigureChange =
  /** `lifetime` in nanoseconds of the log; 0 for ever. */
  | { action: "set"; id: string; figures: Figures; lifetime: bigint }
  | { action: "remove"; id: string }
  /** Everything whose id begins so. */
  | { action: "clear"; prefix: string };

/** Figures of one topic that are shown at the same time. */
const maxFigures = 50_000;

/** What a topic of markers or entities shows: all its messages up to now, one after the other. */
export class FigureState {
  private readonly shown = new Map<string, { figures: Figures; until: bigint | null }>();
  private dropped = 0;

  apply(changes: readonly FigureChange[], time: bigint): void {
    for (const change of changes) {
      if (change.action === "remove") this.shown.delete(change.id);
      else if (change.action === "clear") this.clear(change.prefix);
      else if (this.shown.size >= maxFigures && !this.shown.has(change.id)) this.dropped++;
      else {
        const until = change.lifetime > 0n ? time + change.lifetime : null;
        const stamp = change.figures.stamp ?? time;
        this.shown.set(change.id, { figures: { ...change.figures, stamp }, until });
      }
    }
  }

  /** What is shown at a moment, and until when that holds; what is over by then is forgotten. */
  list(at: bigint): { figures: Figures[]; until: bigint | null; notes: string[] } {
    let next: bigint | null = null;
    for (const [id, { until }] of this.shown) {
      if (until === null) continue;
      if (until <= at) this.shown.delete(id);
      else if (next === null || until < next) next = until;
    }
    const notes = this.dropped > 0 ? [`${this.dropped} beyond the ${maxFigures} that are drawn`] : [];
    return { figures: [...this.shown.values()].map(({ figures }) => figures), until: next, notes };
  }

  private clear(prefix: string): void {
    for (const id of this.shown.keys()) if (id.startsWith(prefix)) this.shown.delete(id);
  }
}
