"use client";

import type { PanelWidth } from "@/components/kit/panel-edge";
import { ChartSurface } from "@/components/plots/chart-surface";
import { EventLane } from "@/components/recording/lanes/event-lane";
import { LabelEdge } from "@/components/recording/lanes/label-edge";
import { AlertLane, GapLane } from "@/components/recording/lanes/range-lanes";
import { TimelineContext, type Timeline } from "@/components/recording/session/timeline-context";
import { LetterMark } from "./letter-mark";

const hasSomething = ({ lanes, events, recording }: Timeline): boolean =>
  (lanes?.alerts.length ?? 0) + (events?.total ?? 0) + recording.gaps.length > 0;

/** Alerts, events and gaps of both recordings below each other. */
export function CompareLanes({ a, b, labels }: { a: Timeline; b: Timeline; labels: PanelWidth }) {
  const sides = [["A", a] as const, ["B", b] as const].filter(([, timeline]) => hasSomething(timeline));
  if (sides.length === 0) return null;
  return (
    <section aria-label="What happened" className="relative border-b">
      <LabelEdge labels={labels} isPointerOnly />
      {sides.map(([letter, timeline]) => (
        <div
          key={letter}
          role="group"
          aria-label={`What happened in ${letter}`}
          className="relative border-b last:border-b-0"
        >
          <span className="pointer-events-none absolute top-1 right-1 z-10 rounded-control bg-surface">
            <LetterMark letter={letter} />
          </span>
          <TimelineContext value={timeline}>
            <AlertLane />
            {(timeline.events?.total ?? 0) > 0 && <EventLane />}
            <ChartSurface axis={timeline.axis} left={timeline.left} drag="pan">
              <GapLane />
            </ChartSurface>
          </TimelineContext>
        </div>
      ))}
    </section>
  );
}
