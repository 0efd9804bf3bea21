"use client";

import { useEffect, useRef, type PointerEvent } from "react";
import { useLatest } from "@/components/kit/latest";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { clockLabel, computeTicks } from "./axis-labels";
import { equalise, findScale, includeNear, listTicks, type Scale } from "./chart-scale";
import { drawChart, labelTicks, toPixelX, toPixelY, type ChartBox, type StyledLine } from "./draw-chart";
import type { Palette } from "./palette";
import { gutter } from "./plot-types";
import { tickStep, type TimeAxis } from "./time-axis";

/** Pixels above and below the lines; the labels of the lower axis lie below. */
const room = { top: 8, bottom: 22 };
/** Pixels of a label of the lower axis with what keeps it apart from the next one. */
const labelWidth = 90;
/** Pixels within which a press means a point. */
const pressReach = 24;

export interface ChartProps {
  axis: TimeAxis;
  palette: Palette;
  lines: readonly StyledLine[];
  /** Whether x is time, which follows the axis; else it shows all of the lines. */
  isOverTime: boolean;
  /** Whether a unit is as long along both sides. */
  isEqual: boolean;
  /** What it shows, for those who do not see it. */
  label: string;
  /** Called when the position of values on the screen changes, for overlays. */
  onPlaced?: (placed: Placed) => void;
}

/** Where a chart draws, and what values lie there. */
export interface Placed {
  box: ChartBox;
  x: Scale;
  left: Scale;
  right: Scale | null;
}

/** Lines in one plot with up to two axes of values, filling the element around it. It draws without React. */
export function Chart({ axis, palette, lines, isOverTime, isEqual, label, onPlaced }: ChartProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useRef({ width: 0, height: 0 });
  const placed = useRef<Placed | null>(null);
  const { zone } = useTimeZone();
  const place = (): Placed => {
    const { width, height } = size.current;
    const box = {
      left: gutter.left,
      top: room.top,
      width: Math.max(1, width - gutter.left - gutter.right),
      height: Math.max(1, height - room.top - room.bottom),
    };
    const span = isOverTime ? axis.span : null;
    const of = (isRight: boolean) => lines.flatMap((each) => (each.isRight === isRight ? [each.line] : []));
    const beside = (isRight: boolean) =>
      lines.flatMap((each) => (each.isRight === isRight ? each.thresholds.map(({ value }) => value) : []));
    const x = span
      ? { min: span.from, max: span.to }
      : findScale(
          lines.map(({ line }) => line),
          "x",
        );
    const left = includeNear(findScale(of(false), "y", span), beside(false));
    const right = of(true).length > 0 ? includeNear(findScale(of(true), "y", span), beside(true)) : null;
    if (!isEqual || isOverTime) return { box, x, left, right };
    const [across, along] = equalise(x, left, box.width, box.height);
    return { box, x: across, left: along, right };
  };
  const listLabels = (x: Scale, { width }: ChartBox) => {
    const count = Math.max(2, Math.floor(width / labelWidth));
    if (!isOverTime) return labelTicks(listTicks(x, count));
    const step = tickStep(x.max - x.min, count);
    return computeTicks(axis, count).map((value) => ({ value, label: clockLabel(axis, value, zone, step) }));
  };
  const paint = useLatest(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    const { width, height } = size.current;
    if (!element || !context || width === 0 || height === 0) return;
    const ratio = devicePixelRatio || 1;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (element.width !== w || element.height !== h) [element.width, element.height] = [w, h];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const now = place();
    placed.current = now;
    onPlaced?.(now);
    // Over time the crosshair marks the moment.
    const moment = isOverTime ? null : (axis.hover ?? axis.playhead ?? axis.bounds.from);
    drawChart({ context, palette, lines, ticks: listLabels(now.x, now.box), moment, ...now });
  });
  useEffect(() => axis.subscribe(paint), [axis, paint]);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      size.current = { width: element.clientWidth, height: element.clientHeight };
      paint();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [paint]);
  // After every render, because the lines may have changed.
  useEffect(paint);
  const onClick = ({ nativeEvent }: PointerEvent<HTMLCanvasElement>) => {
    const at = placed.current && findNearest(placed.current, lines, nativeEvent.offsetX, nativeEvent.offsetY);
    if (at !== null) axis.play(at);
  };
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={label}
      className="absolute inset-0 size-full"
      onPointerUp={isOverTime ? undefined : onClick}
    />
  );
}

/** The moment of the point that is nearest to a place; null where none is near. */
function findNearest({ box, x, left, right }: Placed, lines: readonly StyledLine[], px: number, py: number) {
  let [nearest, moment]: [number, number | null] = [pressReach ** 2, null];
  for (const { line, isRight } of lines) {
    const scale = isRight ? (right ?? left) : left;
    for (let at = 0; at < line.x.length; at++) {
      const value = line.y[at];
      if (value === null || value === undefined) continue;
      const away = (toPixelX(box, x, line.x[at] ?? 0) - px) ** 2 + (toPixelY(box, scale, value) - py) ** 2;
      if (away <= nearest) [nearest, moment] = [away, line.at[at] ?? null];
    }
  }
  return moment;
}
