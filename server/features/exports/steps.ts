import { setImmediate } from "node:timers/promises";

/** Work that pauses between its parts: whoever does it may do something else meanwhile, or give it up. */
export type Steps<T> = Generator<undefined, T>;

/** Does all of it. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Milliseconds for which work goes on before others of the process have their turn. */
const turnMs = 10;

/** Does work of one process beside everything else of it, until a time by `performance.now()`. */
export class Turns {
  private since = performance.now();

  constructor(private readonly deadline: number) {}

  /** Whether all of the work was done in time. */
  async finish(steps: Steps<void>): Promise<boolean> {
    for (;;) {
      const { done } = steps.next();
      const now = performance.now();
      if (now > this.deadline) return false;
      if (done) return true;
      if (now - this.since < turnMs) continue;
      await setImmediate();
      this.since = performance.now();
    }
  }
}
