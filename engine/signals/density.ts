import { toDataView } from "@/engine/bytes";

/** Limit of counts for all topics together, four bytes each. */
const budget = 4_000_000;
const maxBuckets = 2_048;
const minBuckets = 64;

/** The field under which a topic's counts are stored beside its series; no field of a message has an empty path. */
export const densityField = "";

/** Counts the messages of every topic over the length of a recording, in equal intervals, while it is processed. */
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
    this.buckets = Math.max(minBuckets, Math.min(maxBuckets, Math.floor(budget / Math.max(1, topics))));
    this.width = Math.max(1, Number(endTime - startTime)) / this.buckets;
  }

  add(topic: string, logTime: bigint): void {
    const at = Math.floor(Number(logTime - this.startTime) / this.width);
    const bucket = Math.max(0, Math.min(this.buckets - 1, at));
    const counts = this.of(topic);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }

  /** Counts messages [from, to) of one topic, whose times are nanoseconds from the start of the recording. */
  addMany(topic: string, times: Float64Array, from: number, to: number): void {
    const counts = this.of(topic);
    const { width } = this;
    const last = this.buckets - 1;
    for (let i = from; i < to; i++) {
      const at = Math.floor(times[i]! / width);
      const bucket = at < 0 ? 0 : at > last ? last : at;
      counts[bucket] = counts[bucket]! + 1;
    }
  }

  private of(topic: string): Uint32Array {
    let counts = this.counts.get(topic);
    if (!counts) this.counts.set(topic, (counts = new Uint32Array(this.buckets)));
    return counts;
  }

  /** What is stored for each topic. */
  *finish(): IterableIterator<{ topic: string; count: number; data: Uint8Array }> {
    for (const [topic, counts] of this.counts) {
      yield { topic, count: counts.reduce((sum, each) => sum + each, 0), data: encodeDensity(counts) };
    }
  }
}

/** Encodes counts with one, two or four bytes each, as the largest needs; the first byte is that number. */
export function encodeDensity(counts: Uint32Array): Uint8Array {
  const peak = counts.reduce((highest, each) => Math.max(highest, each), 0);
  const size = peak < 256 ? 1 : peak < 65_536 ? 2 : 4;
  const data = new Uint8Array(1 + counts.length * size);
  data[0] = size;
  const view = toDataView(data);
  counts.forEach((each, at) => {
    if (size === 1) view.setUint8(1 + at, each);
    else if (size === 2) view.setUint16(1 + at * 2, each, true);
    else view.setUint32(1 + at * 4, each, true);
  });
  return data;
}

/** The reverse of `encodeDensity`. */
export function decodeDensity(data: Uint8Array): number[] {
  const size = data[0] ?? 1;
  const view = toDataView(data);
  return Array.from({ length: Math.floor((data.length - 1) / size) }, (_, at) =>
    size === 1
      ? view.getUint8(1 + at)
      : size === 2
        ? view.getUint16(1 + at * 2, true)
        : view.getUint32(1 + at * 4, true),
  );
}
