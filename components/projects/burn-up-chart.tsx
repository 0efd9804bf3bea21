"use client";

import {
  Area,
  AreaChart,
  CartesianGrid,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
  type TooltipContentProps,
} from "recharts";
import { formatNumber } from "@/components/kit/format";
import type { BurnUpDay } from "./burn-up";

const number = (value: number): string => formatNumber(value, 0);
const tick = { fill: "var(--subtle)", fontSize: 12 };
const digitWidth = 7;

/** From the bottom; the same colours as the bar of progress. */
const parts = [
  { key: "accepted", label: "Accepted", fill: "var(--online)" },
  { key: "submitted", label: "To review", fill: "var(--info)" },
  { key: "todo", label: "To do", fill: "var(--border)" },
] as const;

/** The tasks of a project day by day, by what had become of them. */
export function BurnUpChart({ days, total }: { days: readonly BurnUpDay[]; total: number }) {
  const last = days.at(-1);
  return (
    <div
      className="h-44"
      role="img"
      aria-label={`Areas of ${number(total)} tasks from ${days[0]?.day} to ${last?.day}: at the end ${parts
        .map(({ key, label }) => `${number(last?.[key] ?? 0)} ${label.toLowerCase()}`)
        .join(", ")}.`}
    >
      <ResponsiveContainer width="100%" height="100%">
        <AreaChart data={[...days]} margin={{ top: 4, right: 0, bottom: 0, left: 0 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--border)" />
          <XAxis
            dataKey="day"
            tick={tick}
            tickFormatter={(day: string) => day.slice(5)}
            tickLine={false}
            axisLine={{ stroke: "var(--border-strong)" }}
            minTickGap={32}
          />
          <YAxis
            width={Math.max(24, number(total).length * digitWidth + 10)}
            domain={[0, total]}
            allowDecimals={false}
            tick={tick}
            tickFormatter={number}
            tickLine={false}
            axisLine={false}
          />
          <Tooltip cursor={{ stroke: "var(--border-strong)" }} isAnimationActive={false} content={Readout} />
          {parts.map(({ key, fill }) => (
            <Area
              key={key}
              // Each day stands for its end: the last step is today's.
              type="stepBefore"
              dataKey={key}
              stackId="tasks"
              stroke="none"
              fill={fill}
              fillOpacity={1}
              isAnimationActive={false}
            />
          ))}
        </AreaChart>
      </ResponsiveContainer>
    </div>
  );
}

function Readout({ active, payload, label }: TooltipContentProps) {
  if (!active || payload.length === 0) return null;
  return (
    <div className="rounded-panel bg-raised px-3 py-2 text-meta shadow-float">
      <p className="mb-1 font-medium tabular-nums">{label} UTC</p>
      {parts.toReversed().map(({ key, label: name }) => (
        <p key={key} className="flex justify-between gap-6">
          <span>{name}</span>
          <span className="tabular-nums">
            {number(Number(payload.find((each) => each.dataKey === key)?.value ?? 0))}
          </span>
        </p>
      ))}
    </div>
  );
}
