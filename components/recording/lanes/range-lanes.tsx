"use client";

import { EyeOff } from "lucide-react";
import { useRef } from "react";
import { plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { ChartSurface } from "@/components/plots/chart-surface";
import { LaneCanvas } from "@/components/plots/lane-canvas";
import { drawSeverityMark, hatch } from "@/components/plots/marks";
import type { Lanes } from "@/components/recording/session/query";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { Lane } from "./lane";

const height = 20;

/**
 * The spans in which alerts held, each with the shape of its severity and its rule's name. A press goes to where one
 * began.
 */
export function AlertLane() {
  const { axis, lanes, left } = useTimeline();
  const spots = useRef<{ from: number; to: number }[]>([]);
  const alerts = lanes?.alerts ?? [];
  if (lanes && alerts.length === 0) return null;
  return (
    <ChartSurface
      axis={axis}
      left={left}
      drag="pan"
      onPress={(at) => {
        const hit = spots.current.findLast((spot) => at >= spot.from && at <= spot.to);
        if (hit) axis.play(hit.from);
        return hit !== undefined;
      }}
    >
      <Lane
        label={
          <span>
            Alerts <span className="text-subtle tabular-nums">{alerts.length || ""}</span>
          </span>
        }
      >
        <LaneCanvas
          axis={axis}
          height={height}
          role="img"
          aria-label={`${plural(alerts.length, "alert")}; the Events tab lists them`}
          draw={({ context, width, palette, x }) => {
            spots.current = [];
            context.font = `11px ${palette.font}`;
            context.textBaseline = "middle";
            let free = Number.NEGATIVE_INFINITY;
            for (const alert of alerts) {
              for (const range of alert.ranges) {
                const from = x(axis.seconds(BigInt(range.from_ns)));
                const to = Math.max(from + 2, x(axis.seconds(BigInt(range.to_ns))));
                if (to < -8 || from > width + 8) continue;
                context.globalAlpha = 0.28;
                context.fillStyle = palette[alert.severity];
                context.fillRect(from, 2, to - from, height - 4);
                context.globalAlpha = 1;
                const mark = Math.max(6, from);
                if (mark < free) continue;
                drawSeverityMark(context, palette, alert.severity, mark, height / 2);
                const text = `${alert.severity} · ${alert.rule_name}`;
                const wide = context.measureText(text).width;
                if (to - mark > wide + 16) {
                  context.fillStyle = palette.foreground;
                  context.fillText(text, mark + 9, height / 2);
                }
                free = mark + 9;
                spots.current.push({
                  from: axis.seconds(BigInt(range.from_ns)),
                  to: axis.seconds(BigInt(range.to_ns)),
                });
              }
            }
          }}
        />
      </Lane>
    </ChartSurface>
  );
}

/** When one rule's condition held and when it triggered. */
export function RuleLane({ rule, onHide }: { rule: Lanes["rules"][number]; onHide: () => void }) {
  const { axis } = useTimeline();
  return (
    <Lane
      label={
        <>
          <span className="min-w-0 flex-1 truncate" title={rule.rule_name}>
            {rule.rule_name} <span className="text-subtle tabular-nums">{rule.hit_count}</span>
          </span>
          <IconButton
            label={`Hide the hits of ${rule.rule_name}`}
            size="sm"
            className="size-5 max-sm:hidden"
            icon={<EyeOff aria-hidden className="size-3!" />}
            onClick={onHide}
          />
        </>
      }
    >
      <LaneCanvas
        axis={axis}
        height={height}
        role="img"
        aria-label={`${rule.rule_name}: ${plural(rule.hit_count, "hit")}`}
        draw={({ context, width, palette, x }) => {
          for (const hit of rule.hits) {
            const from = x(axis.seconds(BigInt(hit.from_ns)));
            const at = x(axis.seconds(BigInt(hit.at_ns)));
            const to = Math.max(at + 2, x(axis.seconds(BigInt(hit.to_ns))));
            if (to < 0 || from > width) continue;
            context.fillStyle = palette.warning;
            context.globalAlpha = 0.25;
            context.fillRect(from, 5, at - from, height - 10);
            context.globalAlpha = 0.75;
            context.fillRect(at, 5, to - at, height - 10);
            context.globalAlpha = 1;
            context.fillStyle = palette.foreground;
            context.fillRect(at, 3, 1, height - 6);
          }
        }}
      />
    </Lane>
  );
}

/** Spans where no topic has data, and where messages were lost. */
export function GapLane() {
  const { axis, recording } = useTimeline();
  if (recording.gaps.length === 0) return null;
  return (
    <Lane
      label={
        <span>
          Gaps <span className="text-subtle tabular-nums">{recording.gaps.length}</span>
        </span>
      }
    >
      <LaneCanvas
        axis={axis}
        height={height}
        role="img"
        aria-label={`${plural(recording.gaps.length, "gap")}; the Details tab lists them`}
        draw={({ context, width, palette, x }) => {
          context.font = `11px ${palette.font}`;
          context.textBaseline = "middle";
          for (const gap of recording.gaps) {
            const from = Math.max(-8, x(axis.seconds(BigInt(gap.start_ns))));
            // The length of a truncated end may be unknown.
            const to = Math.min(width + 8, Math.max(from + 4, x(axis.seconds(BigInt(gap.end_ns)))));
            if (to < 0 || from > width) continue;
            const left = gap.kind === "truncated" ? Math.min(from, width - 8) : from;
            hatch(context, gap.kind === "truncated" ? palette.critical : palette.subtle, {
              x: left,
              y: 3,
              width: Math.max(4, to - left),
              height: height - 6,
            });
            const text = gap.kind === "truncated" ? "Truncated" : "No data";
            const wide = context.measureText(text).width + 8;
            if (to - left < wide + 8) continue;
            context.fillStyle = palette.surface;
            context.fillRect((left + to - wide) / 2, 3, wide, height - 6);
            context.fillStyle = palette.foreground;
            context.fillText(text, (left + to - wide) / 2 + 4, height / 2);
          }
        }}
      />
    </Lane>
  );
}
