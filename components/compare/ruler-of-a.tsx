"use client";

import { ChartSurface } from "@/components/timeline/chart-surface";
import { Lane } from "@/components/timeline/lane";
import { TimeMarks } from "@/components/timeline/time-ruler";
import { useTimeline } from "@/components/timeline/timeline-context";

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
