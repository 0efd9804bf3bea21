"use client";

import { formatDuration } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { exactLabel } from "./axis-labels";
import { formatValue, type Reading, type StateBand } from "./series-columns";
import type { TimeAxis } from "./time-axis";
import { ValueTable } from "./value-table";

const maxRows = 200;

/** Neighbours joined, so that at most 200 are left and none is dropped. */
function joined<T>(items: readonly T[], join: (group: readonly T[]) => T[]): T[] {
  const size = Math.ceil(items.length / maxRows);
  if (size <= 1) return [...items];
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  ).flatMap(join);
}

/** Readings as one: its extremes and counts are those of all, so that no spike is lost. */
export function joinReadings(group: readonly Reading[]): Reading[] {
  const [first] = group;
  const last = group.at(-1);
  if (first === undefined || last === undefined) return [];
  return [
    {
      at: first.at,
      last: last.last,
      min: Math.min(...group.map(({ min }) => min)),
      max: Math.max(...group.map(({ max }) => max)),
      count: group.reduce((sum, { count }) => sum + count, 0),
    },
  ];
}

/** The longest of several states; the others are too short to have a row of their own. */
const joinStates = (group: readonly StateBand[]): StateBand[] =>
  group.toSorted((a, b) => b.to - b.from - (a.to - a.from)).slice(0, 1);

/** The same data as the plot shows, as a table of what is visible. */
export function SeriesTable(props: {
  axis: TimeAxis;
  readings: readonly Reading[];
  states: readonly StateBand[] | null;
  unit?: string;
  caption: string;
}) {
  const { axis, readings, states, unit, caption } = props;
  const { zone } = useTimeZone();
  const { from, to } = axis.span;
  const rows = states
    ? joined(
        states.filter((band) => band.to >= from && band.from <= to),
        joinStates,
      ).map((band) => [
        exactLabel(axis, Math.max(band.from, from), zone),
        band.value,
        formatDuration((Math.min(band.to, to) - Math.max(band.from, from)) * 1000),
      ])
    : joined(
        readings.filter((each) => each.at >= from && each.at <= to),
        joinReadings,
      ).map((each) => [
        exactLabel(axis, each.at, zone),
        formatValue(each.last),
        formatValue(each.min),
        formatValue(each.max),
        String(each.count),
      ]);
  const heads = states
    ? ["Time", "Value", "For"]
    : ["Time", unit ? `Last, ${unit}` : "Last", "Lowest", "Highest", "Samples"];
  return <ValueTable caption={caption} heads={heads} rows={rows} />;
}
