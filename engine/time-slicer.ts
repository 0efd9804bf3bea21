/** How long a computation may occupy its thread without yielding, in milliseconds. */
const shortSlice = 10;

/** Resolves after the tasks that are already queued; browsers have no setImmediate. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve);
  });

/** Cuts long computations into slices, so that requests and other jobs of the process are served in between. */
export class TimeSlicer {
  private startedAt = performance.now();
  /** Milliseconds that it gave way for. */
  waitedMs = 0;

  /** `giveWay` is awaited between slices of `sliceMs`, for as long as other work comes first. */
  constructor(
    private readonly signal?: AbortSignal,
    private readonly giveWay?: () => Promise<void>,
    private readonly sliceMs = shortSlice,
  ) {}

  /** Whether the slice is used up; cheap enough to check every few hundred messages. */
  get isOver(): boolean {
    return performance.now() - this.startedAt > this.sliceMs;
  }

  /** Lets queued tasks run. Throws the signal's reason once it is aborted. */
  async yield(): Promise<void> {
    await nextTurn();
    const began = performance.now();
    await this.giveWay?.();
    this.signal?.throwIfAborted();
    this.startedAt = performance.now();
    this.waitedMs += this.startedAt - began;
  }
}
