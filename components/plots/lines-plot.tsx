"use client";

import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useLatest } from "@/components/kit/latest";
import type { Line } from "@/engine/signals/line";
import { findRoom } from "./chart-scale";
import type { Palette } from "./palette";
import { gutter } from "./plot-types";
import { formatTicks } from "./series-columns";
import type { Span, TimeAxis } from "./time-axis";

/** A line and how it is drawn. */
interface DrawnLine {
  line: Line;
  colour: string;
  isDashed?: boolean;
}

interface LinesPlotProps {
  axis: TimeAxis;
  lines: readonly DrawnLine[];
  palette: Palette;
  height: number;
  label: string;
}

/** The range of the visible values with a margin. */
function computeRange(lines: readonly DrawnLine[], span: Span): [number, number] {
  let [min, max] = [Infinity, -Infinity];
  for (const { line } of lines) {
    for (let at = 0; at < line.times.length; at++) {
      const [time, value] = [line.times[at] ?? 0, line.values[at]];
      if (value === null || value === undefined || time < span.from || time > span.to) continue;
      [min, max] = [Math.min(min, value), Math.max(max, value)];
    }
  }
  if (min > max) [min, max] = [0, 1];
  const room = findRoom(min, max, 0.08);
  return [min - room, max + room];
}

/** Several lines over each other, each with times of its own; a time that only others have does not break a line. */
const toData = (lines: readonly DrawnLine[]): uPlot.AlignedData =>
  uPlot.join(lines.map(({ line }) => [Array.from(line.times), Array.from(line.values)]));

/** Lines of numbers on one axis of values, drawn by uPlot; loaded when first needed. */
export default function LinesPlot(props: LinesPlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const { axis, lines, palette, height } = props;
  const range = useLatest(() => computeRange(props.lines, axis.span));
  const build = useLatest(() => toData(props.lines));
  const looks = lines.map(({ colour, isDashed = false }) => `${colour}|${isDashed}`).join("\n");

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const text = { font: `11px ${palette.font}`, stroke: palette.muted, grid: { stroke: palette.border, width: 1 } };
    const created = new uPlot(
      {
        width: Math.max(element.clientWidth, 60),
        height,
        padding: [8, gutter.right, 8, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, auto: false, range: () => [axis.span.from, axis.span.to] },
          y: { range: () => range() },
        },
        axes: [
          { ...text, show: false },
          { ...text, size: gutter.left, gap: 4, space: 26, values: (_self, splits) => formatTicks(splits) },
        ],
        series: [
          {},
          ...looks.split("\n").map((look) => {
            const [stroke, dashed] = look.split("|");
            return { stroke, width: 1.25, points: { show: false }, ...(dashed === "true" && { dash: [6, 4] }) };
          }),
        ],
      },
      build(),
      element,
    );
    plot.current = created;
    const redraw = () => created.setScale("x", { min: axis.span.from, max: axis.span.to });
    const stop = axis.subscribe(() => {
      const { min, max } = created.scales.x ?? {};
      if (min !== axis.span.from || max !== axis.span.to) redraw();
    });
    const observer = new ResizeObserver(() => created.setSize({ width: Math.max(element.clientWidth, 60), height }));
    observer.observe(element);
    redraw();
    return () => {
      stop();
      observer.disconnect();
      created.destroy();
      plot.current = null;
    };
  }, [axis, height, palette, looks, range, build]);

  useEffect(() => {
    const drawn = plot.current;
    if (!drawn) return;
    drawn.setData(build(), false);
    drawn.setScale("x", { min: axis.span.from, max: axis.span.to });
  }, [axis, lines, build]);

  return <div ref={host} role="img" aria-label={props.label} className="w-full" style={{ height }} />;
}
