/** Which messages of a topic become frames. */
export interface Rate {
  /** Nanoseconds between two frames; 0 takes every message. */
  everyNs: bigint;
  /** Only the first of the range. */
  first: boolean;
}

/**
 * Chooses messages that come by time: the first of each topic in every step of a grid that begins with the range, so that
 * the same range has the same frames wherever reading begins.
 */
export class Picker {
  private readonly taken = new Map<string, bigint>();

  constructor(
    private readonly from: bigint,
    private readonly rate: Rate,
  ) {}

  /** Whether a message becomes a frame. */
  takes(topic: string, time: bigint): boolean {
    const step = this.toStep(time);
    if (this.taken.get(topic) === step) return false;
    this.taken.set(topic, step);
    return true;
  }

  /** Where reading goes on so that the choice is the same as without the interruption. */
  resumeAt(time: bigint): bigint {
    if (this.rate.first) return this.from;
    const { everyNs } = this.rate;
    return everyNs === 0n ? time : this.from + ((time - this.from) / everyNs) * everyNs;
  }

  private toStep(time: bigint): bigint {
    if (this.rate.first) return 0n;
    const { everyNs } = this.rate;
    return everyNs === 0n ? time : (time - this.from) / everyNs;
  }
}
