/** When the samples of a value were taken, and how long each of them holds. */
export class Clock {
  constructor(
    /** Nanoseconds after the beginning of what was read, not falling. */
    readonly times: Float64Array,
    /** How long every sample holds, or until when each one does. */
    private readonly hold: number | Float64Array,
  ) {}

  get length(): number {
    return this.times.length;
  }

  /** Until when a sample holds, where no other one follows. */
  holdsUntil(index: number): number {
    return typeof this.hold === "number" ? this.times[index]! + this.hold : this.hold[index]!;
  }

  /** Whether a sample follows the one before while that still holds. */
  continues(index: number): boolean {
    return index > 0 && this.times[index]! <= this.holdsUntil(index - 1);
  }

  delayed(ns: number): Clock {
    const later = (time: number) => time + ns;
    return new Clock(this.times.map(later), typeof this.hold === "number" ? this.hold : this.hold.map(later));
  }
}

/** A value over time. NaN where it is not known. */
export interface Samples {
  clock: Clock;
  values: Float64Array;
}

/** The samples of several clocks in one order. */
export interface MergedClock {
  clock: Clock;
  /** For each clock and moment the sample that holds then; −1 where none does. */
  rows: Int32Array[];
}

/** Merges clocks: at each moment of any of them, the last sample of each of the others as long as it holds. */
export function mergeClocks(clocks: readonly Clock[]): MergedClock {
  const length = clocks.reduce((sum, clock) => sum + clock.length, 0);
  const [times, until] = [new Float64Array(length), new Float64Array(length)];
  const rows = clocks.map(() => new Int32Array(length));
  const next = clocks.map(() => 0);
  let count = 0;
  for (;;) {
    let time = Infinity;
    for (const [at, clock] of clocks.entries()) time = Math.min(time, clock.times[next[at]!] ?? Infinity);
    if (time === Infinity) break;
    let end = Infinity;
    for (const [at, clock] of clocks.entries()) {
      if (clock.times[next[at]!] === time) next[at]!++;
      const last = next[at]! - 1;
      const holds = last >= 0 && clock.holdsUntil(last) >= time;
      rows[at]![count] = holds ? last : -1;
      end = Math.min(end, holds ? clock.holdsUntil(last) : time);
    }
    times[count] = time;
    until[count++] = end;
  }
  return {
    clock: new Clock(times.subarray(0, count), until.subarray(0, count)),
    rows: rows.map((each) => each.subarray(0, count)),
  };
}
