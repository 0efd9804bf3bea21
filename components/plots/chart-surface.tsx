"use client";

import { useEffect, useRef, useState, type PointerEvent, type ReactNode } from "react";
import { cn } from "@/components/kit/cn";
import { Crosshair, momentAt, toPixel } from "@/components/plots/crosshair";
import { gutter } from "@/components/plots/plot-types";
import type { TimeAxis } from "@/components/plots/time-axis";

export interface ChartSurfaceProps {
  axis: TimeAxis;
  /** Pixels left of the chart inside this surface. */
  left: number;
  /** What a drag does: pan (with Shift: zoom to the dragged range), or draw a range. */
  drag: "pan" | "range";
  /** Called with a range that was drawn, in seconds of the axis. */
  onRange?: (from: number, to: number) => void;
  /** A press in place; moves the playhead unless it returns true. */
  onPress?: (at: number, event: PointerEvent<HTMLDivElement>) => boolean | void;
  /** Whether the wheel zooms without Ctrl; only where nothing scrolls. */
  wheel?: boolean;
  children: ReactNode;
  className?: string;
}

interface Drag {
  x: number;
  at: number;
  from: number;
  to: number;
  kind: "pan" | "range";
  moved: boolean;
}

const fromChart = (event: PointerEvent | WheelEvent): boolean =>
  !(
    event.target instanceof Element &&
    event.target.closest("button, a, input, [role=slider], [role=combobox], [data-off-chart]")
  );

/**
 * The pointer's actions over a chart: hover shows the crosshair, a press moves the playhead, drags pan or draw, the
 * wheel zooms.
 */
export function ChartSurface(props: ChartSurfaceProps) {
  const { axis, left, drag, onRange, onPress, wheel = false, children, className } = props;
  const host = useRef<HTMLDivElement>(null);
  const current = useRef<Drag | null>(null);
  const [drawn, setDrawn] = useState<{ left: number; width: number } | null>(null);

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      if (!fromChart(event)) return;
      const box = element.getBoundingClientRect();
      if (event.clientX - box.left < left) return;
      const zooms =
        event.ctrlKey || event.metaKey || (wheel && !event.shiftKey && Math.abs(event.deltaY) > Math.abs(event.deltaX));
      const sideways = event.shiftKey
        ? event.deltaY || event.deltaX
        : Math.abs(event.deltaX) > Math.abs(event.deltaY)
          ? event.deltaX
          : 0;
      if (zooms)
        axis.zoom(
          Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))),
          momentAt(axis, event.clientX - box.left, box.width, left),
        );
      else if (sideways !== 0) axis.pan((sideways / box.width) * (axis.span.to - axis.span.from));
      else return;
      event.preventDefault();
    };
    // React's own listener is passive and cannot prevent scrolling of the page.
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [axis, left, wheel]);

  const toPosition = (event: PointerEvent) => {
    const box = host.current?.getBoundingClientRect();
    return box ? { x: event.clientX - box.left, width: box.width } : null;
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    const place = toPosition(event);
    if (!place || event.button !== 0 || !fromChart(event) || place.x < left - 2) return;
    const at = momentAt(axis, place.x, place.width, left);
    const kind = drag === "range" || event.shiftKey ? "range" : "pan";
    current.current = { x: place.x, at, ...axis.span, kind, moved: false };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const place = toPosition(event);
    if (!place) return;
    const held = current.current;
    axis.point(place.x >= left ? momentAt(axis, place.x, place.width, left) : null);
    if (!held || (Math.abs(place.x - held.x) < 4 && !held.moved)) return;
    held.moved = true;
    if (held.kind === "pan") {
      const shift = ((held.x - place.x) / Math.max(1, place.width - left - gutter.right)) * (held.to - held.from);
      axis.show({ from: held.from + shift, to: held.to + shift });
    } else {
      const start = Math.max(left, toPixel(axis, held.at, place.width, left) ?? left);
      const end = Math.max(left, Math.min(place.width - gutter.right, place.x));
      setDrawn({ left: Math.min(start, end), width: Math.abs(end - start) });
    }
  };
  const onPointerUp = (event: PointerEvent<HTMLDivElement>) => {
    const held = current.current;
    current.current = null;
    setDrawn(null);
    const place = toPosition(event);
    if (!held || !place) return;
    const at = momentAt(axis, place.x, place.width, left);
    if (!held.moved) {
      if (!onPress?.(at, event)) axis.play(at);
    } else if (held.kind === "range") {
      const [from, to] = [Math.min(held.at, at), Math.max(held.at, at)];
      if (drag === "range") onRange?.(from, to);
      else axis.show({ from, to });
    }
  };
  return (
    <div
      ref={host}
      className={cn("relative touch-pan-y select-none", className)}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => {
        current.current = null;
        setDrawn(null);
      }}
      onPointerLeave={() => axis.point(null)}
    >
      <Crosshair axis={axis} left={left}>
        {children}
      </Crosshair>
      {drawn && (
        <div
          aria-hidden
          className="pointer-events-none absolute inset-y-0 z-10 border-x border-accent bg-accent/15"
          style={drawn}
        />
      )}
    </div>
  );
}
