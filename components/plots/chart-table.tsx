"use client";

import { useTimeZone } from "@/components/kit/preferences-provider";
import { exactLabel } from "./axis-labels";
import type { ChartLine } from "./chart-lines";
import { formatValue } from "./series-columns";
import type { TimeAxis } from "./time-axis";
import { ValueTable } from "./value-table";

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
  const rows = points
    .filter((_, at) => at % step === 0)
    .map(({ at, x, y }) => [exactLabel(axis, at, zone), formatValue(x), formatValue(y)]);
  return <ValueTable caption={caption} heads={["Time", ...heads]} rows={rows} longHeads />;
}
