import { compareBytes } from "@/engine/bytes";

/** A topic's messages are not stored in order of time: they are read in the order of the merge instead. */
export class Disordered extends Error {
  constructor(readonly topic: string) {
    super(`The messages of ${topic} are out of order.`);
  }
}

/** A chunk holds what its index or the plan of a topic does not foresee: the recording is read message by message. */
export class Unlisted extends Error {}

/** Bytes of a payload that is kept to be compared with the first of the next chunk. */
const maxKept = 4096;

/** The messages of one channel in the chunk at hand, in reading order. */
export class ChunkRows {
  count = 0;
  // There may be tens of thousands of topics, with few messages each.
  starts = new Int32Array(0);
  ends = new Int32Array(0);
  /** Nanoseconds from the start of the recording. */
  times = new Float64Array(0);
  sequences = new Float64Array(0);
  /** The last message of the chunks before; no payload where that is long. */
  private lastTime = -1;
  private lastSequence = -1;
  private lastPayload: Uint8Array | null = null;

  constructor(private readonly topic: string) {}

  add(start: number, end: number, time: number, sequence: number): void {
    const at = this.count;
    if (at === this.times.length) this.grow();
    this.starts[at] = start;
    this.ends[at] = end;
    this.times[at] = time;
    this.sequences[at] = sequence;
    this.count = at + 1;
  }

  private grow(): void {
    const length = Math.max(16, this.count * 2);
    const longer = <T extends Int32Array | Float64Array>(values: T, all: T): T => {
      all.set(values);
      return all;
    };
    this.starts = longer(this.starts, new Int32Array(length));
    this.ends = longer(this.ends, new Int32Array(length));
    this.times = longer(this.times, new Float64Array(length));
    this.sequences = longer(this.sequences, new Float64Array(length));
  }

  /**
   * Puts the chunk's messages into reading order: by time, sequence and payload. Throws Disordered when one of them may
   * belong before those of an earlier chunk.
   */
  order(bytes: Uint8Array): void {
    const { count, times, sequences } = this;
    if (count === 0) return;
    let sorted = true;
    for (let at = 1; at < count && sorted; at++) {
      const before = times[at - 1]!;
      if (times[at]! > before) continue;
      sorted = times[at]! === before && this.compare(at - 1, at, bytes) <= 0;
    }
    if (!sorted) this.sort(bytes);
    if (!this.follows(bytes)) throw new Disordered(this.topic);
    const last = count - 1;
    this.lastTime = times[last]!;
    this.lastSequence = sequences[last]!;
    const [start, end] = [this.starts[last]!, this.ends[last]!];
    this.lastPayload = end - start > maxKept ? null : bytes.slice(start, end);
  }

  /** Whether the first message belongs after those of the chunks before. */
  private follows(bytes: Uint8Array): boolean {
    const first = this.times[0]! - this.lastTime || this.sequences[0]! - this.lastSequence;
    if (first !== 0) return first > 0;
    const { lastPayload } = this;
    if (lastPayload === null) return false;
    return compareBytes(lastPayload, bytes, 0, lastPayload.length, this.starts[0], this.ends[0]) <= 0;
  }

  private compare(a: number, b: number, bytes: Uint8Array): number {
    const { starts, ends, times, sequences } = this;
    return (
      times[a]! - times[b]! ||
      sequences[a]! - sequences[b]! ||
      compareBytes(bytes, bytes, starts[a]!, ends[a]!, starts[b]!, ends[b]!)
    );
  }

  private sort(bytes: Uint8Array): void {
    const { count } = this;
    const order = Uint32Array.from({ length: count }, (_, at) => at).sort((a, b) => this.compare(a, b, bytes));
    for (const values of [this.starts, this.ends, this.times, this.sequences]) {
      const copy = values.slice(0, count);
      for (let at = 0; at < count; at++) values[at] = copy[order[at]!]!;
    }
  }
}
