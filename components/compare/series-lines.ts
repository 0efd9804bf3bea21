import { toColumns, type SeriesData } from "@/components/plots/series-columns";
import type { Line } from "@/engine/signals/line";

interface SeriesLines {
  /** The last value of each point. */
  line: Line;
  /** The same, with a stroke from the least to the greatest value of each point that joins several. */
  drawn: Line;
}

/** Seconds between the ends of such a stroke, since a line has one value at a time. */
const strokeSeconds = 1e-7;
const noLine: Line = { times: [], values: [] };

/** The points of a number field as lines, in seconds from an origin; empty for other fields. */
export function toLines(data: SeriesData | undefined, origin: bigint): SeriesLines {
  if (data?.kind !== "number") return { line: noLine, drawn: noLine };
  const [times, low, high, last] = toColumns(data, origin);
  const line = { times, values: last };
  if (low.every((value, at) => value === high[at])) return { line, drawn: line };
  const drawn: { times: number[]; values: (number | null)[] } = { times: [], values: [] };
  times.forEach((time, at) => {
    const [least, greatest] = [low[at] ?? null, high[at] ?? null];
    drawn.times.push(time);
    drawn.values.push(least);
    if (least === greatest) return;
    drawn.times.push(time + strokeSeconds);
    drawn.values.push(greatest);
  });
  return { line, drawn };
}
