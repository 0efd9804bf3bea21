// How long a thread has not answered. Only node: imports, because a thread loads it without a compiler.

/**
 * Counts the time without an answer, and the processor time that the process used meanwhile. Time in which nobody looked
 * does not count: the machine slept, or the process was stopped.
 */
export class Silence {
  /** Milliseconds without an answer. */
  silentMs = 0;
  /** Milliseconds of processor time of the process in them. */
  cpuMs = 0;

  /**
   * @param {number} everyMs how often somebody looks
   */
  constructor(everyMs) {
    this.everyMs = everyMs;
    this.answers = 0;
    this.lookedAt = Number.POSITIVE_INFINITY;
    this.answeredCpuMs = 0;
  }

  /**
   * Looks at the number of answers at a moment of a clock that never goes back.
   * @param {{ answers: number, now: number, cpuMs: number }} seen
   */
  look({ answers, now, cpuMs }) {
    const passed = Math.min(Math.max(now - this.lookedAt, 0), 2 * this.everyMs);
    this.lookedAt = now;
    if (answers !== this.answers) {
      this.answers = answers;
      this.silentMs = 0;
      this.answeredCpuMs = cpuMs;
    } else this.silentMs += passed;
    this.cpuMs = cpuMs - this.answeredCpuMs;
  }
}
