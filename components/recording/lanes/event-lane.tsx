"use client";

import { useRef } from "react";
import { ChartSurface } from "@/components/plots/chart-surface";
import { LaneCanvas, type Drawing } from "@/components/plots/lane-canvas";
import { drawEventMark, eventColour } from "@/components/plots/marks";
import type { LaneEvent } from "@/components/recording/session/query";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { Lane } from "./lane";
import { packRows } from "./packing";

/** One row, like every lane; the wheel spreads events that lie over each other. */
const rows = 1;
const rowHeight = 16;

interface Spot {
  from: number;
  to: number;
  top: number;
  event: LaneEvent | null;
  at: number;
  end: number;
}

/** Points and ranges of events, in one row; those that do not fit are counted. A drag creates an event. */
export function EventLane() {
  const { axis, events, createEvent, readOnly, reason, left } = useTimeline();
  const spots = useRef<Spot[]>([]);
  if (events?.total === 0) return null;
  const draw = ({ context, width, height, palette, x }: Drawing) => {
    spots.current = [];
    context.font = `11px ${palette.font}`;
    context.textBaseline = "middle";
    if (events?.buckets) return drawCounts({ context, width, height, palette, x });
    const shown = (events?.events ?? [])
      .map((event) => {
        const at = axis.seconds(BigInt(event.at_ns));
        const end = at + Number(event.duration_ns ?? 0) / 1e9;
        return { event, at, end, from: x(at) - 5, to: Math.max(x(at) + 5, x(end)) };
      })
      .filter((each) => each.to >= 0 && each.from <= width);
    const { placed, overflow } = packRows(shown, ({ from, to }) => ({ from, to }), rows);
    for (const { item, row } of placed) {
      const y = row * rowHeight + rowHeight / 2 + 2;
      if (item.end > item.at) {
        context.globalAlpha = 0.35;
        context.fillStyle = eventColour(palette, item.event.type);
        context.fillRect(item.from + 5, y - 5, Math.max(2, item.to - item.from - 5), 10);
        context.globalAlpha = 1;
      }
      drawEventMark(context, palette, item.event.type, item.from + 5, y);
      spots.current.push({
        from: item.from,
        to: item.to,
        top: row * rowHeight,
        event: item.event,
        at: item.at,
        end: item.end,
      });
    }
    for (const group of overflow) {
      const text = `+${group.items.length}`;
      const wide = context.measureText(text).width + 6;
      const y = rows * rowHeight - rowHeight / 2 + 2;
      context.fillStyle = palette.surface;
      context.fillRect(group.from, y - 7, wide, 14);
      context.fillStyle = palette.foreground;
      context.fillText(text, group.from + 3, y);
    }
  };
  const drawCounts = ({ context, height, palette, x }: Drawing) => {
    const buckets = events?.buckets ?? [];
    const peak = buckets.reduce((max, { count }) => Math.max(max, count), 1);
    const heights = new Map<string, number>();
    const next = buckets.find(({ at_ns }) => at_ns !== buckets[0]?.at_ns)?.at_ns;
    const wide =
      next && buckets[0]
        ? Math.max(1, x(axis.seconds(BigInt(next))) - x(axis.seconds(BigInt(buckets[0].at_ns))) - 1)
        : 3;
    for (const { at_ns, type, count } of buckets) {
      const below = heights.get(at_ns) ?? 0;
      const tall = Math.max(1, (count / peak) * (height - 6) * 0.6);
      context.fillStyle = eventColour(palette, type);
      context.fillRect(x(axis.seconds(BigInt(at_ns))), height - 2 - below - tall, wide, tall);
      heights.set(at_ns, below + tall);
    }
    context.fillStyle = palette.muted;
    context.fillText(`${events?.total ?? 0} events: zoom in to see each`, 4, 8);
  };
  return (
    <ChartSurface
      axis={axis}
      left={left}
      drag={readOnly || reason !== undefined ? "pan" : "range"}
      onRange={(from, to) => createEvent(from, to - from)}
      onPress={(at, event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const [x, y] = [event.clientX - box.left - left, event.clientY - box.top];
        const hit = spots.current.find(
          (spot) => x >= spot.from && x <= spot.to && y >= spot.top && y <= spot.top + rowHeight + 4,
        );
        if (!hit) return false;
        axis.play(hit.at);
        return true;
      }}
    >
      <Lane
        label={
          <span>
            Events <span className="text-subtle tabular-nums">{events?.total ?? ""}</span>
          </span>
        }
      >
        <LaneCanvas
          axis={axis}
          height={rows * rowHeight + 4}
          draw={draw}
          role="img"
          aria-label={`${events?.total ?? 0} events in view; the Events tab lists them`}
        />
      </Lane>
    </ChartSurface>
  );
}
