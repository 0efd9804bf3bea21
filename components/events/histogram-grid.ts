import { eventTypeOrder } from "@/components/product/event-type";
import type { Outputs } from "@/components/trpc/client";

export type Histogram = NonNullable<Outputs["events"]["histogram"]>;

export interface Bar {
  /** Beginning and end, in nanoseconds since 1970. */
  fromNs: bigint;
  toNs: bigint;
  counts: Histogram["buckets"][number]["counts"];
  total: number;
}

/** Every bucket of a histogram, the empty ones too. */
export function toBars({ from_ns, to_ns, step_ns, buckets }: Histogram): Bar[] {
  const [from, to, step] = [BigInt(from_ns), BigInt(to_ns), BigInt(step_ns)];
  const counts = new Map(buckets.map((bucket) => [bucket.at, bucket.counts]));
  const bars: Bar[] = [];
  for (let at = from; at < to; at += step) {
    const own = counts.get(String(at)) ?? {};
    bars.push({
      fromNs: at,
      toNs: at + step,
      counts: own,
      total: eventTypeOrder.reduce((sum, type) => sum + (own[type] ?? 0), 0),
    });
  }
  return bars;
}
