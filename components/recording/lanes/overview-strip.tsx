"use client";

import { useEffect, useRef, type KeyboardEvent, type PointerEvent } from "react";
import { useLatest } from "@/components/kit/latest";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { exactLabel } from "@/components/plots/axis-labels";
import { LaneCanvas } from "@/components/plots/lane-canvas";
import { eventColour, hatch } from "@/components/plots/marks";
import { gutter } from "@/components/plots/plot-types";
import type { Span } from "@/components/plots/time-axis";
import { useTimeline } from "@/components/recording/session/timeline-context";

const height = 24;
const grip = 6;

/**
 * All of the recording in one strip; the brush on it is what everything below shows. Drag it, its ends, or a new one.
 */
export function OverviewStrip() {
  const { axis, lanes, events, recording, left } = useTimeline();
  const { zone } = useTimeZone();
  const host = useRef<HTMLDivElement>(null);
  const brush = useRef<HTMLDivElement>(null);
  const drag = useRef<{ kind: "move" | "from" | "to" | "new"; at: number; span: Span } | null>(null);
  const length = axis.bounds.to - axis.bounds.from;

  const size = useRef(0);
  const placed = useRef("");
  const place = useLatest(() => {
    const width = size.current;
    const wanted = `${axis.span.from} ${axis.span.to} ${length} ${width} ${zone}`;
    // The axis changes with every frame while it plays, but not what is visible.
    if (!brush.current || placed.current === wanted) return;
    placed.current = wanted;
    const from = ((axis.span.from - axis.bounds.from) / length) * width;
    const wide = Math.max(4, ((axis.span.to - axis.span.from) / length) * width);
    brush.current.style.transform = `translateX(${from}px)`;
    brush.current.style.width = `${wide}px`;
    brush.current.setAttribute("aria-valuenow", ((axis.span.from + axis.span.to) / 2).toFixed(3));
    brush.current.setAttribute(
      "aria-valuetext",
      `${exactLabel(axis, axis.span.from, zone)} to ${exactLabel(axis, axis.span.to, zone)}`,
    );
  });
  useEffect(() => {
    const stop = axis.subscribe(place);
    const observer = new ResizeObserver(() => {
      size.current = host.current?.clientWidth ?? 0;
      place();
    });
    if (host.current) observer.observe(host.current);
    return () => {
      stop();
      observer.disconnect();
    };
  }, [axis, place]);

  const toMoment = (event: PointerEvent) => {
    const box = host.current?.getBoundingClientRect();
    return box ? axis.bounds.from + Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * length : 0;
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    const width = host.current?.clientWidth ?? 1;
    const at = toMoment(event);
    const near = (grip / width) * length;
    const { span } = axis;
    const showsAll = span.to - span.from >= length * 0.999;
    const kind = showsAll
      ? "new"
      : Math.abs(at - span.from) < near
        ? "from"
        : Math.abs(at - span.to) < near
          ? "to"
          : at > span.from && at < span.to
            ? "move"
            : "new";
    drag.current = { kind, at, span };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const held = drag.current;
    if (!held) return;
    const at = toMoment(event);
    const { span, kind } = held;
    if (kind === "move") axis.show({ from: span.from + at - held.at, to: span.to + at - held.at });
    else if (kind === "from") axis.show({ from: Math.min(at, span.to), to: span.to });
    else if (kind === "to") axis.show({ from: span.from, to: Math.max(at, span.from) });
    else if (Math.abs(at - held.at) > length / 200)
      axis.show({ from: Math.min(at, held.at), to: Math.max(at, held.at) });
  };
  const onPointerUp = (event: PointerEvent<HTMLDivElement>) => {
    const held = drag.current;
    drag.current = null;
    const at = toMoment(event);
    if (held?.kind === "new" && Math.abs(at - held.at) <= length / 200) axis.play(at);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const width = axis.span.to - axis.span.from;
    const moves: Record<string, () => void> = {
      ArrowLeft: () => axis.pan(-width / 10),
      ArrowRight: () => axis.pan(width / 10),
      ArrowUp: () => axis.zoom(0.8),
      ArrowDown: () => axis.zoom(1.25),
      Home: () => axis.pan(-length),
      End: () => axis.pan(length),
    };
    const move = moves[event.key];
    if (!move || event.shiftKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };
  return (
    <div className="flex border-b bg-background">
      <div className="flex shrink-0 items-center pl-4 text-meta text-muted max-sm:pl-2" style={{ width: left }}>
        Overview
      </div>
      <div className="min-w-0 flex-1" style={{ paddingRight: gutter.right }}>
        <div
          ref={host}
          className="relative cursor-crosshair touch-none select-none"
          onPointerDown={onPointerDown}
          onPointerMove={onPointerMove}
          onPointerUp={onPointerUp}
        >
          <LaneCanvas
            axis={axis}
            extent="bounds"
            height={height}
            role="img"
            aria-label="The whole recording"
            hasPlayhead
            draw={({ context, palette, x }) => {
              for (const gap of recording.gaps) {
                const from = x(axis.seconds(BigInt(gap.start_ns)));
                const wide = Math.max(2, x(axis.seconds(BigInt(gap.end_ns))) - from);
                hatch(context, palette.subtle, { x: from, y: 2, width: wide, height: height - 4 });
              }
              for (const alert of lanes?.alerts ?? []) {
                context.fillStyle = palette[alert.severity];
                context.globalAlpha = 0.6;
                for (const range of alert.ranges) {
                  const from = x(axis.seconds(BigInt(range.from_ns)));
                  context.fillRect(from, 3, Math.max(2, x(axis.seconds(BigInt(range.to_ns))) - from), 8);
                }
              }
              context.globalAlpha = 1;
              for (const event of events?.events ?? []) {
                context.fillStyle = eventColour(palette, event.type);
                context.fillRect(x(axis.seconds(BigInt(event.at_ns))), 13, 2, 8);
              }
              if (axis.playhead !== null) {
                context.fillStyle = palette.accent;
                context.fillRect(x(axis.playhead) - 1, 0, 2, height);
              }
            }}
          />
          <div
            ref={brush}
            role="slider"
            tabIndex={0}
            aria-label="Visible range"
            aria-valuemin={axis.bounds.from}
            aria-valuemax={axis.bounds.to}
            aria-valuenow={0}
            onKeyDown={onKeyDown}
            className="absolute inset-y-0 left-0 cursor-grab rounded-control border border-accent bg-accent/10 -outline-offset-2! active:cursor-grabbing"
          >
            <span aria-hidden className="absolute inset-y-2 left-0.5 w-0.5 rounded-full bg-accent" />
            <span aria-hidden className="absolute inset-y-2 right-0.5 w-0.5 rounded-full bg-accent" />
          </div>
        </div>
      </div>
    </div>
  );
}
