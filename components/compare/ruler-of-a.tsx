"use client";

import { ChartSurface } from "@/components/plots/chart-surface";
import { Lane } from "@/components/recording/lanes/lane";
import { TimeMarks } from "@/components/recording/lanes/time-ruler";
import { useTimeline } from "@/components/recording/session/timeline-context";

/** The times of A. Drags move what is shown of both, the wheel zooms. */
export function RulerOfA() {
  const { axis, left } = useTimeline();
  return (
    <ChartSurface axis={axis} left={left} drag="pan" wheel className="border-b">
      <Lane label={<span>Time of A</span>}>
        <TimeMarks axis={axis} />
      </Lane>
    </ChartSurface>
  );
}
