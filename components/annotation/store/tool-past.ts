import type { ToolState } from "../tools/tool";

/** States of a tool with fewer points, and those that were taken back. */
export class ToolPast {
  private past: readonly ToolState[] = [];
  private future: readonly ToolState[] = [];

  clear(): void {
    [this.past, this.future] = [[], []];
  }

  /** A step led from a state with so many points to one with others. */
  note(before: ToolState, had: number, has: number): void {
    if (has === 0) this.clear();
    else if (has > had) [this.past, this.future] = [[...this.past, before], []];
  }

  /** The state before the one of now; undefined where there is none. */
  back(now: ToolState): ToolState | undefined {
    const state = this.past.at(-1);
    if (state) [this.past, this.future] = [this.past.slice(0, -1), [...this.future, now]];
    return state;
  }

  forth(now: ToolState): ToolState | undefined {
    const state = this.future.at(-1);
    if (state) [this.past, this.future] = [[...this.past, now], this.future.slice(0, -1)];
    return state;
  }
}
