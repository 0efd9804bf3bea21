import type { Outputs } from "@/components/trpc/client";
import type { NumberRange } from "./filter-parts";

type Facet = Extract<Outputs["items"]["facets"], { timed_out: false }>["facets"][number];

/** The numbers of a key as the server splits them: ranges of one width, without those that are empty. */
export type SplitRange = NonNullable<Facet["range"]>;

/** A range of numbers and how many items have one in it. */
export interface RangeBin {
  from: number;
  /** Where the next one begins, and the number that a filter ends with: the last whole one where all are whole. */
  end: number;
  to: number;
  count: number;
}

/** A sum of numbers without the error in its last digits: 0.30000000000000004 is 0.3. */
const rounded = (value: number): number => Number(value.toPrecision(14));

/** Every range from the lowest number to the highest, also empty ones. */
export function listBins({ min, max, step, whole, bins }: SplitRange): RangeBin[] {
  const first = bins[0]?.from ?? min;
  const length = Math.max(1, Math.floor(rounded((max - first) / step)) + 1);
  const counts = new Map(bins.map(({ from, count }) => [Math.round((from - first) / step), count]));
  return Array.from({ length }, (_, at) => {
    const end = rounded(first + (at + 1) * step);
    return { from: rounded(first + at * step), end, to: whole ? end - 1 : end, count: counts.get(at) ?? 0 };
  });
}

/** The first and the last of the bins that a range reaches into; the last is before the first where it reaches into none. */
export function binsBetween(bins: readonly RangeBin[], { from, to }: NumberRange): [number, number] {
  const first = from === null ? 0 : bins.findIndex(({ end }) => end > from);
  const isReached = (bin: RangeBin, number: number) =>
    bin.from < number || (bin.from === number && (bin.to < bin.end || from === number));
  const last = to === null ? bins.length - 1 : bins.findLastIndex((bin) => isReached(bin, to));
  return [first === -1 ? bins.length : first, last];
}

/** The range of some bins, which is open where they are the outermost. */
export const rangeOfBins = (bins: readonly RangeBin[], first: number, last: number): NumberRange => ({
  from: first <= 0 ? null : (bins[first]?.from ?? null),
  to: last >= bins.length - 1 ? null : (bins[last]?.to ?? null),
});
