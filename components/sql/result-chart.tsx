"use client";

import {
  Bar,
  BarChart,
  CartesianGrid,
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
  type TooltipContentProps,
} from "recharts";
import { formatCompact, formatInstant, formatNumber } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import type { ChartData } from "./chart-data";

const tick = { fill: "var(--subtle)", fontSize: 12 };
const colour = (at: number): string => `var(--series-${at + 1})`;
const margin = { top: 12, right: 16, bottom: 0, left: 0 };
const day = 86_400_000;

/** Whether the points of a series are worth dots: where few lines could be seen between them. */
const maxDots = 50;

/** A result as lines over times or numbers, or as bars of names. The table holds the figures. */
export default function ResultChart({ chart }: { chart: ChartData }) {
  const { axis, series, points, left } = chart;
  const { zone } = useTimeZone();
  const x = points.map((point) => Number(point.x));
  const span = Number(x.at(-1)) - Number(x[0]);
  const formatTick = (value: number): string => {
    if (axis.kind !== "time") return formatCompact(value);
    const instant = formatInstant(value, zone, "millisecond");
    return span > 2 * day ? instant.slice(5, 16) : span > 10_000 ? instant.slice(11, 19) : instant.slice(14, 23);
  };
  const toLabel = (value: unknown): string => {
    if (axis.kind === "name") return String(value);
    if (axis.kind === "time") return formatInstant(Number(value), zone, "millisecond");
    return `${axis.name} ${formatNumber(Number(value), 6)}`;
  };
  const readout = (props: TooltipContentProps) => <Readout {...props} chart={chart} toLabel={toLabel} />;
  const grid = <CartesianGrid vertical={false} stroke="var(--border)" />;
  const values = (
    <YAxis
      width={56}
      domain={axis.kind === "name" ? undefined : ["auto", "auto"]}
      tick={tick}
      tickFormatter={formatCompact}
      tickLine={false}
      axisLine={false}
    />
  );
  const line = { stroke: "var(--border-strong)" };
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto px-4 py-3 sm:px-6">
      <ul aria-label="Series" className="flex flex-wrap gap-x-4 gap-y-1 text-meta">
        {series.map(({ key, name }, at) => (
          <li key={key} className="flex min-w-0 items-center gap-1.5">
            <span aria-hidden className="h-0.5 w-3 shrink-0" style={{ backgroundColor: colour(at) }} />
            <span className="truncate font-mono">{name}</span>
          </li>
        ))}
      </ul>
      <div
        className="h-72 min-h-48 lg:h-auto lg:flex-1"
        role="img"
        aria-label={`Chart of ${series.map(({ name }) => name).join(", ")} over ${axis.name}. The table holds the figures.`}
      >
        <ResponsiveContainer width="100%" height="100%">
          {axis.kind === "name" ? (
            <BarChart data={points} margin={margin} accessibilityLayer={false}>
              {grid}
              <XAxis dataKey="x" tick={tick} tickLine={false} axisLine={line} minTickGap={16} />
              {values}
              <Tooltip cursor={{ fill: "var(--hover)" }} isAnimationActive={false} content={readout} />
              {series.map(({ key }, at) => (
                <Bar key={key} dataKey={key} fill={colour(at)} isAnimationActive={false} maxBarSize={40} />
              ))}
            </BarChart>
          ) : (
            <LineChart data={points} margin={margin} accessibilityLayer={false}>
              {grid}
              <XAxis
                dataKey="x"
                type="number"
                domain={["dataMin", "dataMax"]}
                tick={tick}
                tickFormatter={formatTick}
                tickLine={false}
                axisLine={line}
                minTickGap={40}
              />
              {values}
              <Tooltip cursor={{ stroke: "var(--border-strong)" }} isAnimationActive={false} content={readout} />
              {series.map(({ key }, at) => (
                <Line
                  key={key}
                  dataKey={key}
                  stroke={colour(at)}
                  strokeWidth={1.5}
                  dot={points.length <= maxDots ? { r: 2, fill: colour(at), strokeWidth: 0 } : false}
                  // Where each name has rows of its own, those of the others are no gaps.
                  connectNulls={points.every((point) => Object.keys(point).length === 2)}
                  isAnimationActive={false}
                />
              ))}
            </LineChart>
          )}
        </ResponsiveContainer>
      </div>
      <p className="text-meta text-subtle">
        Over <span className="font-mono">{axis.name}</span>.
        {left.length > 0 && ` Not drawn, for lack of colours: ${left.join(", ")}.`}
      </p>
    </div>
  );
}

function Readout(props: TooltipContentProps & { chart: ChartData; toLabel: (value: unknown) => string }) {
  const { active, payload, label, chart, toLabel } = props;
  const point = payload[0]?.payload as ChartData["points"][number] | undefined;
  if (!active || !point) return null;
  return (
    <div className="rounded-panel bg-raised px-3 py-2 text-meta shadow-float">
      <p className="mb-1 font-medium tabular-nums">{toLabel(label)}</p>
      {chart.series.map(({ key, name }, at) => {
        const value = point[key];
        if (value === undefined) return null;
        return (
          <p key={key} className="flex items-center gap-2">
            <span aria-hidden className="h-0.5 w-3 shrink-0" style={{ backgroundColor: colour(at) }} />
            <span className="font-mono">{name}</span>
            <span className="ml-auto pl-4 tabular-nums">{value === null ? "–" : formatNumber(Number(value), 6)}</span>
          </p>
        );
      })}
    </div>
  );
}
