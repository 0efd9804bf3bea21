import type { Figures } from "@/engine/messages/scene-object";

/** What a message changes of what its topic shows. */
export type FigureChange =
  /** `lifetime` in nanoseconds of the log; 0 for ever. `problem`: what of it cannot be seen, and why. */
  | { action: "set"; id: string; figures: Figures; lifetime: bigint; problem?: string | null }
  | { action: "remove"; id: string }
  /** Everything whose id begins so. */
  | { action: "clear"; prefix: string };

/** Figures of one topic that are shown at the same time. */
const maxFigures = 50_000;
/** Names that one line says. */
const maxNames = 5;

interface Kept {
  figures: Figures;
  until: bigint | null;
  problem: string | null;
}

/** What a topic of markers or entities shows: all its messages up to now, one after the other. */
export class FigureState {
  private readonly shown = new Map<string, Kept>();
  private dropped = 0;

  apply(changes: readonly FigureChange[], time: bigint): void {
    for (const change of changes) {
      if (change.action === "remove") this.shown.delete(change.id);
      else if (change.action === "clear") this.clear(change.prefix);
      else if (this.shown.size >= maxFigures && !this.shown.has(change.id)) this.dropped++;
      else {
        const until = change.lifetime > 0n ? time + change.lifetime : null;
        const stamp = change.figures.stamp ?? time;
        this.shown.set(change.id, { figures: { ...change.figures, stamp }, until, problem: change.problem ?? null });
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
    const figures = [...this.shown.values()].flatMap((each) => (each.figures.shapes.length > 0 ? [each.figures] : []));
    return { figures, until: next, notes: [...notes, ...this.listProblems()] };
  }

  /** What is not seen for each reason, by name. It stays as long as what has the problem. */
  private listProblems(): string[] {
    const byProblem = new Map<string, string[]>();
    for (const { figures, problem } of this.shown.values()) {
      if (problem === null) continue;
      const names = byProblem.get(problem);
      if (names) names.push(figures.name);
      else byProblem.set(problem, [figures.name]);
    }
    return [...byProblem].map(([problem, names]) => {
      const others = names.length > maxNames ? ` and ${(names.length - maxNames).toLocaleString("en")} more` : "";
      return `${problem}: ${names.slice(0, maxNames).join(", ")}${others}`;
    });
  }

  private clear(prefix: string): void {
    for (const id of this.shown.keys()) if (id.startsWith(prefix)) this.shown.delete(id);
  }
}
