"use client";

import { formatDuration } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { exactLabel } from "./axis-labels";
import { formatValue, type Reading, type StateBand } from "./series-columns";
import type { TimeAxis } from "./time-axis";

const maxRows = 200;

/** Every n-th of a list, so that at most 200 are left. */
function thinned<T>(items: readonly T[]): T[] {
  const step = Math.ceil(items.length / maxRows);
  return step <= 1 ? [...items] : items.filter((_, at) => at % step === 0);
}

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
  const cell = "px-2 py-0.5 text-right tabular-nums first:text-left";
  const rows = states
    ? thinned(states.filter((band) => band.to >= from && band.from <= to)).map((band) => [
        exactLabel(axis, Math.max(band.from, from), zone),
        band.value,
        formatDuration((Math.min(band.to, to) - Math.max(band.from, from)) * 1000),
      ])
    : thinned(readings.filter((each) => each.at >= from && each.at <= to)).map((each) => [
        exactLabel(axis, each.at, zone),
        formatValue(each.last),
        formatValue(each.min),
        formatValue(each.max),
        String(each.count),
      ]);
  const heads = states
    ? ["Time", "Value", "For"]
    : ["Time", unit ? `Last, ${unit}` : "Last", "Lowest", "Highest", "Samples"];
  return (
    <div className="max-h-60 overflow-auto border-y" tabIndex={0} role="region" aria-label={caption}>
      <table className="w-full text-meta">
        <caption className="sr-only">{caption}</caption>
        <thead className="sticky top-0 bg-surface text-muted">
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col" className={`${cell} font-normal`}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((text, column) => (
                <td key={column} className={cell}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
