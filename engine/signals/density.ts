/** Counts kept for all topics together, four bytes each. */
const budget = 4_000_000;
const most = 2_048;
const fewest = 64;

/** The field under which a topic's counts are stored beside its series; no field of a message has an empty path. */
export const densityField = "";

/** Counts the messages of every topic over the length of a recording, in equal stretches, while it is processed. */
export class DensityCounts {
  private readonly counts = new Map<string, Uint32Array>();
  private readonly buckets: number;
  private readonly width: number;

  /** `startTime` and `endTime` in nanoseconds. */
  constructor(
    private readonly startTime: bigint,
    endTime: bigint,
    topics: number,
  ) {
    this.buckets = Math.max(fewest, Math.min(most, Math.floor(budget / Math.max(1, topics))));
    this.width = Math.max(1, Number(endTime - startTime)) / this.buckets;
  }

  add(topic: string, logTime: bigint): void {
    let counts = this.counts.get(topic);
    if (!counts) this.counts.set(topic, (counts = new Uint32Array(this.buckets)));
    const at = Math.floor(Number(logTime - this.startTime) / this.width);
    const bucket = Math.max(0, Math.min(this.buckets - 1, at));
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }

  /** What is stored for each topic. */
  *finish(): IterableIterator<{ topic: string; count: number; data: Buffer }> {
    for (const [topic, counts] of this.counts) {
      yield { topic, count: counts.reduce((sum, each) => sum + each, 0), data: encodeDensity(counts) };
    }
  }
}

/** Counts as a byte each where that is enough, else as two or four: the first byte says how many. */
export function encodeDensity(counts: Uint32Array): Buffer {
  const peak = counts.reduce((highest, each) => Math.max(highest, each), 0);
  const size = peak < 256 ? 1 : peak < 65_536 ? 2 : 4;
  const data = Buffer.alloc(1 + counts.length * size);
  data[0] = size;
  counts.forEach((each, at) => data.writeUIntLE(each, 1 + at * size, size));
  return data;
}

/** The reverse of `encodeDensity`. */
export function decodeDensity(data: Uint8Array): number[] {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const size = bytes[0] ?? 1;
  return Array.from({ length: Math.floor((bytes.length - 1) / size) }, (_, at) =>
    bytes.readUIntLE(1 + at * size, size),
  );
}
