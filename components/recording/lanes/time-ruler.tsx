"use client";

import { useTimeZone } from "@/components/kit/preferences-provider";
import { clockLabel, computeTicks } from "@/components/plots/axis-labels";
import { ChartSurface } from "@/components/plots/chart-surface";
import { LaneCanvas } from "@/components/plots/lane-canvas";
import { tickStep, type TimeAxis } from "@/components/plots/time-axis";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { Lane } from "./lane";

/** The time labels of the visible range, once for all lanes and plots. */
export function TimeRuler() {
  const { axis, left } = useTimeline();
  const { utc } = useTimeZone();
  return (
    <ChartSurface axis={axis} left={left} drag="pan" wheel className="border-b">
      <Lane label={<span>{utc ? "Time, UTC" : "Time"}</span>}>
        <TimeMarks axis={axis} />
      </Lane>
    </ChartSurface>
  );
}

/** Round times of the clock along an axis. */
export function TimeMarks({ axis }: { axis: TimeAxis }) {
  const { zone } = useTimeZone();
  return (
    <LaneCanvas
      axis={axis}
      height={22}
      aria-hidden
      draw={({ context, width, height, palette, x }) => {
        const max = Math.max(2, Math.floor(width / 100));
        const step = tickStep(axis.span.to - axis.span.from, max);
        context.font = `11px ${palette.font}`;
        context.textBaseline = "middle";
        for (const at of computeTicks(axis, max)) {
          context.fillStyle = palette.borderStrong;
          context.fillRect(Math.round(x(at)), height - 5, 1, 5);
          context.fillStyle = palette.muted;
          const label = clockLabel(axis, at, zone, step);
          // A part of a time would be another time.
          if (x(at) + 4 + context.measureText(label).width <= width) context.fillText(label, x(at) + 4, height / 2);
        }
      }}
    />
  );
}
