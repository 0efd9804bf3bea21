"use client";

import { useEffect, useRef, type ComponentProps } from "react";
import { cn } from "@/components/kit/cn";
import { useLatest } from "@/components/kit/latest";
import { usePalette, type Palette } from "./palette";
import type { TimeAxis } from "./time-axis";

export interface Drawing {
  context: CanvasRenderingContext2D;
  width: number;
  height: number;
  palette: Palette;
  /** The pixel of a moment given in seconds of the axis. */
  x: (seconds: number) => number;
}

export interface LaneCanvasProps extends Omit<ComponentProps<"canvas">, "ref" | "height"> {
  axis: TimeAxis;
  height: number;
  /** Draws the whole lane; called at most once a frame when what is visible, the size or the theme changes. */
  draw: (drawing: Drawing) => void;
  /** Whether it draws the playhead, too: it is drawn again when that is at another pixel. */
  hasPlayhead?: boolean;
  /** The part of the axis that the width represents: the visible range (default) or the complete recording. */
  extent?: "span" | "bounds";
}

/** A strip of canvas on the time axis. It draws without React: panning never re-renders a component. */
export function LaneCanvas(props: LaneCanvasProps) {
  const { axis, height, draw, hasPlayhead = false, extent = "span", className, ...rest } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  // Reading the element's width in every frame would force a layout each time.
  const size = useRef(0);
  const palette = usePalette();
  const painted = useRef("");
  /** What the drawing depends on of the axis. */
  const getState = useLatest((): string => {
    const { from, to } = extent === "span" ? axis.span : axis.bounds;
    const scale = (size.current * (devicePixelRatio || 1)) / Math.max(to - from, 1e-9);
    const head = hasPlayhead && axis.playhead !== null ? Math.round((axis.playhead - from) * scale) : null;
    return `${from} ${to} ${head}`;
  });
  const paint = useLatest(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context || !palette) return;
    painted.current = getState();
    const width = size.current;
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (element.width !== w || element.height !== h) {
      element.width = w;
      element.height = h;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const shown = extent === "span" ? axis.span : axis.bounds;
    const scale = width / Math.max(shown.to - shown.from, 1e-9);
    draw({ context, width, height, palette, x: (seconds) => (seconds - shown.from) * scale });
  });
  useEffect(() => axis.subscribe(() => painted.current !== getState() && paint()), [axis, paint, getState]);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      size.current = element.clientWidth;
      paint();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [paint]);
  // After every render, because the drawing may have changed.
  useEffect(paint);
  return <canvas {...rest} ref={canvas} style={{ height }} className={cn("block w-full", className)} />;
}
