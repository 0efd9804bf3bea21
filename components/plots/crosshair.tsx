"use client";

import { useEffect, useRef, type ReactNode } from "react";
import { useLatest } from "@/components/kit/latest";
import { gutter } from "./plot-types";
import type { TimeAxis } from "./time-axis";

/** The position of a moment on an element that spans the gutters; null outside of the visible range. */
export function toPixel(axis: TimeAxis, at: number, width: number, left = gutter.left): number | null {
  const { from, to } = axis.span;
  if (at < from || at > to) return null;
  return left + ((at - from) / (to - from)) * (width - left - gutter.right);
}

/** The moment below a pixel of such an element. */
export function momentAt(axis: TimeAxis, pixel: number, width: number, left = gutter.left): number {
  const share = (pixel - left) / Math.max(1, width - left - gutter.right);
  return axis.span.from + Math.min(1, Math.max(0, share)) * (axis.span.to - axis.span.from);
}

/** The shared crosshair and the playhead over what it surrounds, moved by transforms alone. */
export function Crosshair(props: { axis: TimeAxis; children: ReactNode; className?: string; left?: number }) {
  const { axis, children, className, left = gutter.left } = props;
  const host = useRef<HTMLDivElement>(null);
  const hover = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const size = useRef(0);
  const place = useLatest(() => {
    const width = size.current;
    const ratio = devicePixelRatio || 1;
    for (const [line, at] of [
      [hover.current, axis.hover],
      [head.current, axis.playhead],
    ] as const) {
      if (!line) continue;
      const pixel = at === null ? null : toPixel(axis, at, width, left);
      const [visibility, transform] =
        pixel === null
          ? ["hidden", line.style.transform]
          : ["visible", `translateX(${Math.round(pixel * ratio) / ratio}px)`];
      // While it plays the playhead moves by less than a pixel a frame; writing the same again would cost a style.
      if (line.style.visibility !== visibility) line.style.visibility = visibility;
      if (line.style.transform !== transform) line.style.transform = transform;
    }
  });
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      size.current = host.current?.clientWidth ?? 0;
      place();
    });
    if (host.current) observer.observe(host.current);
    const stop = axis.subscribe(place);
    return () => {
      stop();
      observer.disconnect();
    };
  }, [axis, place]);
  return (
    <div ref={host} className={className ?? "relative"}>
      {children}
      <div
        ref={hover}
        aria-hidden
        className="pointer-events-none invisible absolute inset-y-0 left-0 z-10 w-px bg-subtle"
      />
      <div
        ref={head}
        aria-hidden
        className="pointer-events-none invisible absolute inset-y-0 left-0 z-10 -ml-px w-0.5 bg-accent"
      />
    </div>
  );
}
