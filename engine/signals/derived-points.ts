import type { Samples } from "@/engine/signals/expression-clock";
import { PointJoiner } from "@/engine/signals/point-joiner";
import type { SeriesPoint } from "@/engine/signals/series";

/** What is drawn of a derived value. */
export interface DerivedPoints {
  points: SeriesPoint[];
  /** Positions of points before which the value was not known for a time. */
  breaks: number[];
}

/**
 * The points of a derived value within a window, as those of a field: lowest and highest of each interval. `begin` is
 * the moment, in nanoseconds since 1970, that the times of the samples count from.
 */
export function derivedPoints(
  { clock, values }: Samples,
  begin: bigint,
  window: { from: bigint; to: bigint; points: number },
): DerivedPoints {
  const joiner = new PointJoiner(window);
  const holes: bigint[] = [];
  const [from, to] = [Number(window.from - begin), Number(window.to - begin)];
  let isKnown = true;
  for (let row = 0; row < values.length; row++) {
    const time = clock.times[row]!;
    if (time < from || time > to) continue;
    if (!Number.isFinite(values[row]!)) {
      isKnown = false;
      continue;
    }
    const at = begin + BigInt(time);
    if (!isKnown || !clock.continues(row)) holes.push(at);
    joiner.add(at, values[row]!);
    isKnown = true;
  }
  const points = joiner.finish();
  const breaks: number[] = [];
  let next = 0;
  for (const [index, [time]] of points.entries()) {
    // A hole inside an interval is too short to be drawn.
    while (next < holes.length && holes[next]! < time) next++;
    if (index > 0 && holes[next] === time) breaks.push(index);
  }
  return { points, breaks };
}
