import type { ChunkRef } from "@/engine/formats/indexed-file";
import { compareRows, type MessageTable } from "@/engine/formats/message-table";

/** The rows [at, end) of a sorted table that still have to be yielded. */
export interface Run {
  table: MessageTable;
  at: number;
  end: number;
  chunk: ChunkRef;
  /** Bytes this run holds in memory. */
  bytes: number;
}

/** Runs by their first row, the earliest on top. */
export class RunHeap {
  private runs: Run[] = [];

  get size(): number {
    return this.runs.length;
  }

  top(): Run | null {
    return this.runs[0] ?? null;
  }

  /** The run that would be on top without the first one. */
  second(): Run | null {
    const left = this.runs[1];
    const right = this.runs[2];
    if (left === undefined || right === undefined) return left ?? null;
    return before(right, left) ? right : left;
  }

  push(run: Run): void {
    this.runs.push(run);
    let at = this.runs.length - 1;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!before(this.runs[at]!, this.runs[parent]!)) break;
      this.swap(at, parent);
      at = parent;
    }
  }

  pop(): void {
    const last = this.runs.pop();
    if (this.runs.length > 0 && last !== undefined) {
      this.runs[0] = last;
      this.sink();
    }
  }

  /** Restores the heap order after the first row of the top run has changed. */
  sink(): void {
    const { runs } = this;
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      const right = left + 1;
      let least = at;
      if (left < runs.length && before(runs[left]!, runs[least]!)) least = left;
      if (right < runs.length && before(runs[right]!, runs[least]!)) least = right;
      if (least === at) return;
      this.swap(at, least);
      at = least;
    }
  }

  /** Removes and returns all runs, in no particular order. */
  drain(): Run[] {
    const { runs } = this;
    this.runs = [];
    return runs;
  }

  private swap(a: number, b: number): void {
    const run = this.runs[a]!;
    this.runs[a] = this.runs[b]!;
    this.runs[b] = run;
  }
}

function before(a: Run, b: Run): boolean {
  return compareRows(a.table, a.at, b.table, b.at) < 0;
}
