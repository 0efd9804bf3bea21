"use client";

import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useLatest } from "@/components/kit/latest";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { clockLabel, computeTicks } from "./axis-labels";
import { findRoom } from "./chart-scale";
import { findFreePlace } from "./label-place";
import type { Palette } from "./palette";
import { gutter, type Band, type Mark, type Threshold } from "./plot-types";
import { formatTicks, formatValue, type Columns } from "./series-columns";
import { tickStep, type Span, type TimeAxis } from "./time-axis";

export interface NumberPlotProps {
  axis: TimeAxis;
  columns: Columns;
  palette: Palette;
  colour: string;
  height: number;
  thresholds: readonly Threshold[];
  bands: readonly Band[];
  marks: readonly Mark[];
  /** A fixed range of values; null follows the visible data. */
  locked: Span | null;
  /** Called when the position of values on the screen changes, for overlays. */
  onScale?: (scale: { min: number; max: number; top: number; height: number }) => void;
  label: string;
  /** Draws times below; off where lanes above share an axis. */
  times: boolean;
}

/** Pixels of a digit of a label at most. */
const digitWidth = 6.5;
const fills = { pending: 0.1, triggered: 0.2, window: 0.12 };

/** The range of the visible values with a margin; thresholds close to it are included. */
function computeRange([times, low, high]: Columns, span: Span, thresholds: readonly Threshold[]): [number, number] {
  let [min, max] = [Infinity, -Infinity];
  const slack = (span.to - span.from) * 0.02;
  for (let at = 0; at < times.length; at++) {
    const time = times[at] ?? 0;
    if (time < span.from - slack || time > span.to + slack) continue;
    min = Math.min(min, low[at] ?? Infinity);
    max = Math.max(max, high[at] ?? -Infinity);
  }
  const empty = min > max;
  if (empty) [min, max] = [thresholds[0]?.value ?? 0, thresholds[0]?.value ?? 1];
  const extent = Math.max(max - min, Math.abs(max) * 0.05, 1e-9);
  for (const { value } of thresholds) {
    if (value >= min - 2 * extent && value <= max + 2 * extent)
      [min, max] = [Math.min(min, value), Math.max(max, value)];
  }
  const room = findRoom(min, max, 0.08);
  return [min - room, max + room];
}

/** The line of a number field with the band between minimum and maximum, drawn by uPlot; loaded when first needed. */
export default function NumberPlot(props: NumberPlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const columnsRef = useRef<Columns>(props.columns);
  const { zone } = useTimeZone();
  const { axis, columns, palette, colour, height, times } = props;

  const underlay = useLatest((self: uPlot) => {
    const { ctx, bbox } = self;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const band of props.bands) {
      const from = self.valToPos(axis.seconds(band.fromNs), "x", true);
      const to = self.valToPos(axis.seconds(band.toNs), "x", true);
      ctx.globalAlpha = fills[band.kind];
      ctx.fillStyle =
        band.kind === "triggered" ? palette.critical : band.kind === "pending" ? palette.warning : palette.accent;
      ctx.fillRect(from, bbox.top, Math.max(1, to - from), bbox.height);
    }
    ctx.restore();
  });
  const overlay = useLatest((self: uPlot) => {
    const { ctx, bbox } = self;
    const ratio = devicePixelRatio || 1;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineWidth = 1.25 * ratio;
    ctx.font = `${11 * ratio}px ${palette.font}`;
    // With a rim that keeps it legible over the line.
    const write = (text: string, x: number, y: number) => {
      ctx.textAlign = "left";
      ctx.lineJoin = "round";
      ctx.lineWidth = 3 * ratio;
      ctx.strokeStyle = palette.surface;
      ctx.strokeText(text, x, y);
      ctx.lineWidth = 1.25 * ratio;
      ctx.fillStyle = palette.foreground;
      ctx.fillText(text, x, y);
    };
    for (const { value, severity = "warning", label } of props.thresholds) {
      const y = self.valToPos(value, "y", true);
      ctx.strokeStyle = palette[severity];
      ctx.setLineDash([5 * ratio, 4 * ratio]);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
      ctx.setLineDash([]);
      const text = label ?? formatValue(value);
      const [wide, high] = [ctx.measureText(text).width, 11 * ratio];
      const above = y - high - 5 * ratio > bbox.top;
      const box = { width: wide, top: above ? y - high - 5 * ratio : y + 3 * ratio, height: high + 2 * ratio };
      const place = findFreePlace(box, bbox, props.columns, {
        x: (at) => self.valToPos(at, "x", true),
        y: (at) => self.valToPos(at, "y", true),
      });
      if (text) write(text, place + 4 * ratio, box.top + high);
    }
    for (const { atNs, label, severity = "info" } of props.marks) {
      const x = self.valToPos(axis.seconds(atNs), "x", true);
      ctx.strokeStyle = palette[severity];
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      write(label, x + 4 * ratio, bbox.top + 11 * ratio);
    }
    ctx.restore();
  });
  const range = useLatest((): [number, number] =>
    props.locked ? [props.locked.from, props.locked.to] : computeRange(props.columns, axis.span, props.thresholds),
  );
  const scaled = useLatest((self: uPlot) => {
    const { min, max } = self.scales.y ?? {};
    const ratio = devicePixelRatio || 1;
    if (typeof min !== "number" || typeof max !== "number") return;
    props.onScale?.({ min, max, top: self.bbox.top / ratio, height: self.bbox.height / ratio });
  });

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const grid = { stroke: palette.border, width: 1 };
    const text = { stroke: palette.muted, font: `11px ${palette.font}`, ticks: { show: false }, grid };
    const created = new uPlot(
      {
        width: Math.max(element.clientWidth, 60),
        height,
        padding: [8, gutter.right, times ? 0 : 8, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, auto: false, range: () => [axis.span.from, axis.span.to] },
          y: { range: () => range() },
        },
        axes: [
          {
            ...text,
            show: times,
            size: 22,
            // Below the lowest label of the other axis, which lies half below the plot.
            gap: 7,
            splits: (self) => computeTicks(axis, Math.floor(self.width / 90)),
            values: (self, splits) => {
              const step = tickStep(axis.span.to - axis.span.from, Math.floor(self.width / 90));
              const end = self.bbox.width / (devicePixelRatio || 1) + gutter.right;
              return splits.map((at) => {
                const label = clockLabel(axis, at, zone, step);
                // Half of a time at the end would be cut off.
                return self.valToPos(at, "x") + (label.length * digitWidth) / 2 > end ? "" : label;
              });
            },
          },
          { ...text, size: gutter.left, gap: 4, space: 26, values: (_self, splits) => formatTicks(splits) },
        ],
        series: [
          {},
          { stroke: "transparent", width: 0, points: { show: false } },
          { stroke: "transparent", width: 0, points: { show: false } },
          { stroke: colour, width: 1.25, points: { show: false } },
        ],
        bands: [{ series: [2, 1], fill: `color-mix(in oklch, ${colour} 28%, transparent)` }],
        hooks: { drawClear: [underlay], draw: [overlay, scaled] },
      },
      columnsRef.current,
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
  }, [axis, colour, height, palette, zone, times, underlay, overlay, range, scaled]);

  useEffect(() => {
    columnsRef.current = columns;
    const drawn = plot.current;
    if (!drawn) return;
    drawn.setData(columns, false);
    drawn.setScale("x", { min: axis.span.from, max: axis.span.to });
  }, [axis, columns]);
  // Thresholds, bands and marks are drawn over the existing plot.
  useEffect(() => {
    const drawn = plot.current;
    drawn?.setScale("x", { min: axis.span.from, max: axis.span.to });
  }, [axis, props.thresholds, props.bands, props.marks, props.locked]);

  return <div ref={host} role="img" aria-label={props.label} className="w-full" style={{ height }} />;
}
