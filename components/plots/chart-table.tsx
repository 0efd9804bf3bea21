"use client";

import { useTimeZone } from "@/components/kit/preferences-provider";
import { exactLabel } from "./axis-labels";
import type { ChartLine } from "./chart-lines";
import { formatValue } from "./series-columns";
import type { TimeAxis } from "./time-axis";

const maxRows = 200;

interface ChartTableProps {
  axis: TimeAxis;
  line: ChartLine;
  /** What x and y are. */
  heads: readonly [x: string, y: string];
  caption: string;
}

/** The points of a line as a table; of many, as many as there is room for, spread evenly. */
export function ChartTable({ axis, line, heads, caption }: ChartTableProps) {
  const { zone } = useTimeZone();
  const points = line.at.flatMap((at, index) => {
    const y = line.y[index];
    return y === null || y === undefined ? [] : [{ at, x: line.x[index] ?? 0, y }];
  });
  const step = Math.max(1, Math.ceil(points.length / maxRows));
  const cell = "px-2 py-0.5 text-right tabular-nums first:text-left";
  return (
    <div className="max-h-60 overflow-auto border-y" tabIndex={0} role="region" aria-label={caption}>
      <table className="w-full text-meta">
        <caption className="sr-only">{caption}</caption>
        <thead className="sticky top-0 bg-surface text-muted">
          <tr>
            {["Time", ...heads].map((head, at) => (
              <th key={at} scope="col" className={`${cell} font-normal wrap-anywhere`}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points
            .filter((_, at) => at % step === 0)
            .map(({ at, x, y }) => (
              <tr key={at}>
                <td className={cell}>{exactLabel(axis, at, zone)}</td>
                <td className={cell}>{formatValue(x)}</td>
                <td className={cell}>{formatValue(y)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
