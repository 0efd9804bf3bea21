"use client";

import type { ReactNode } from "react";
import { gutter } from "@/components/plots/plot-types";
import { useTimeline } from "@/components/recording/session/timeline-context";

/** One line of the timeline: its name on the left, what happened over time on the right. */
export function Lane({ label, children }: { label: ReactNode; children: ReactNode }) {
  const { left } = useTimeline();
  return (
    <div className="flex border-b last:border-b-0">
      <div
        data-off-chart
        className="flex min-w-0 shrink-0 items-center gap-1 pr-2 pl-4 text-meta leading-5 text-muted max-sm:pl-2"
        style={{ width: left }}
      >
        {label}
      </div>
      <div className="min-w-0 flex-1" style={{ paddingRight: gutter.right }}>
        {children}
      </div>
    </div>
  );
}
