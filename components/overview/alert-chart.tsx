"use client";

import {
  Bar,
  BarChart,
  CartesianGrid,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
  type TooltipContentProps,
} from "recharts";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Status } from "@/components/product/status";
import { severities, severitiesWorstFirst, type Severity } from "@/domain/severity";
import { axisWidth, formatCount } from "./axis-width";
import { bucketLabel } from "./bucket-label";
import type { Activity } from "./query";

const fills: Record<Severity, string> = {
  critical: "var(--critical)",
  error: "var(--error)",
  warning: "var(--warning)",
  info: "var(--info)",
};
const tick = { fill: "var(--subtle)", fontSize: 12 };

const countAll = (row: Record<Severity, number>): number => row.info + row.warning + row.error + row.critical;

/** Bars stacked by severity, the worst on top. */
export function AlertChart({ activity }: { activity: Activity }) {
  const { zone } = useTimeZone();
  const rows = activity.buckets.map((bucket) => ({
    ...bucket,
    label: bucketLabel(bucket.at, activity.bucket_ms, zone),
  }));
  const total = rows.reduce((sum, row) => sum + countAll(row), 0);
  return (
    <div
      className="h-52"
      role="img"
      aria-label={`Bars of ${total} alerts over time by severity. The table view holds the figures.`}
    >
      <ResponsiveContainer width="100%" height="100%">
        <BarChart
          data={rows}
          margin={{ top: 4, right: 0, bottom: 0, left: 0 }}
          accessibilityLayer={false}
          barCategoryGap={2}
        >
          <CartesianGrid vertical={false} stroke="var(--border)" />
          <XAxis
            dataKey="label"
            tick={tick}
            tickLine={false}
            axisLine={{ stroke: "var(--border-strong)" }}
            minTickGap={32}
          />
          <YAxis
            width={axisWidth(rows.map(countAll))}
            allowDecimals={false}
            tick={tick}
            tickFormatter={formatCount}
            tickLine={false}
            axisLine={false}
          />
          <Tooltip cursor={{ fill: "var(--hover)" }} isAnimationActive={false} content={Readout} />
          {severities.map((severity) => (
            <Bar
              key={severity}
              dataKey={severity}
              stackId="alerts"
              fill={fills[severity]}
              isAnimationActive={false}
              maxBarSize={24}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}

function Readout({ active, payload, label }: TooltipContentProps) {
  const row = payload[0]?.payload as Record<Severity, number> | undefined;
  if (!active || !row) return null;
  return (
    <div className="rounded-panel bg-raised px-3 py-2 text-meta shadow-float">
      <p className="mb-1 font-medium tabular-nums">{label}</p>
      {severitiesWorstFirst.map((severity) => (
        <p key={severity} className="flex justify-between gap-6">
          <Status tone={severity} />
          <span className="tabular-nums">{row[severity]}</span>
        </p>
      ))}
    </div>
  );
}
