import { setImmediate as nextTurn } from "node:timers/promises";

/** How long work that only computes may keep the process from its other business, in milliseconds. */
const sliceMs = 10;

/** Cuts long computations into slices, so that requests and other jobs of the process are served in between. */
export class Slices {
  private startedAt = performance.now();

  constructor(private readonly signal?: AbortSignal) {}

  /** Whether the slice is used up; cheap enough to be asked every few hundred messages. */
  get over(): boolean {
    return performance.now() - this.startedAt > sliceMs;
  }

  /** Lets everything else have its turn. Throws the signal's reason once it is aborted. */
  async rest(): Promise<void> {
    await nextTurn();
    this.signal?.throwIfAborted();
    this.startedAt = performance.now();
  }
}
