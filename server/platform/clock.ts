import { processWide } from "@/server/platform/process-wide";

/** The clocks of this machine, in milliseconds. */
export interface MachineClock {
  /** Since 1970; a step of the machine's time changes it. */
  wall: () => number;
  /** Since any moment; never goes back and never steps. */
  monotonic: () => number;
}

const ownMachine: MachineClock = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * The database's time in this process: measured now and then, and carried forward by the machine's monotonic clock, so
 * that a step of the machine's time changes nothing. Until the first measurement it is the machine's time.
 */
export class DatabaseClock {
  /** Database time minus monotonic time; null until it was measured. */
  #offset: number | null = null;

  constructor(private readonly machine: MachineClock = ownMachine) {}

  /** Milliseconds since 1970. */
  ms(): number {
    return Math.floor(this.#offset === null ? this.machine.wall() : this.machine.monotonic() + this.#offset);
  }

  /** Milliseconds by which the machine's time is ahead of the database's; negative when behind, 0 until measured. */
  machineAheadMs(): number {
    return this.#offset === null ? 0 : Math.round(this.machine.wall() - this.machine.monotonic() - this.#offset);
  }

  /**
   * Asks the database for its time with `read`. The response is from some moment of the round trip; the clock moves no
   * further than needed to agree with that, so that it neither jitters nor goes back without need.
   */
  async measure(read: () => Promise<number>): Promise<void> {
    const sent = this.machine.monotonic();
    const measured = await read();
    const received = this.machine.monotonic();
    const [earliest, latest] = [measured - received, measured - sent];
    const current = this.#offset ?? (earliest + latest) / 2;
    this.#offset = Math.min(Math.max(current, earliest), latest);
  }

  /** Returns to the machine's time. */
  forget(): void {
    this.#offset = null;
  }
}

/** The clock of this process. */
export const databaseClock = processWide("databaseClock", () => new DatabaseClock());

/** The database's time, for everything that decides by time or records it. Milliseconds since 1970. */
export const databaseMs = (): number => databaseClock.ms();

/** The database's time as a Date. */
export const databaseNow = (): Date => new Date(databaseMs());
