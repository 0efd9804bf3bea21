/** Milliseconds after the last input for which somebody still works, and for which the lease is renewed. */
const pauses = { work: 60_000, renew: 5 * 60_000 };

/** Counts the seconds in which somebody works: those soon after an input. */
export class WorkTimer {
  /** Since the page shows the task. */
  seconds = 0;
  private reported = 0;
  private inputAt = Number.NEGATIVE_INFINITY;

  noteInput(now = Date.now()): void {
    this.inputAt = now;
  }

  /** A second went by. */
  tick(now = Date.now()): void {
    if (now - this.inputAt <= pauses.work) this.seconds += 1;
  }

  isActive(now = Date.now()): boolean {
    return now - this.inputAt <= pauses.renew;
  }

  /** The seconds that were not reported yet, at most an hour; `confirm` once the server has them. */
  take(): { seconds: number; confirm: () => void } {
    const seconds = Math.min(3_600, this.seconds - this.reported);
    return { seconds, confirm: () => (this.reported += seconds) };
  }
}
