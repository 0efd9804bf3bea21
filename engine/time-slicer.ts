/** How long work that only computes may keep its thread from other business, in milliseconds. */
const sliceMs = 10;

/** After what is waiting already: Node has a queue for that, a browser's worker its timers. */
const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve);
  });

/** Cuts long computations into slices, so that requests and other jobs of the process are served in between. */
export class TimeSlicer {
  private startedAt = performance.now();

  constructor(private readonly signal?: AbortSignal) {}

  /** Whether the slice is used up; cheap enough to be asked every few hundred messages. */
  get isOver(): boolean {
    return performance.now() - this.startedAt > sliceMs;
  }

  /** Lets everything else have its turn. Throws the signal's reason once it is aborted. */
  async yield(): Promise<void> {
    await nextTurn();
    this.signal?.throwIfAborted();
    this.startedAt = performance.now();
  }
}
