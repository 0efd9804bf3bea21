"use client";

import { useEffect, useRef, type KeyboardEvent, type PointerEvent } from "react";
import { useLatest } from "@/components/kit/latest";
import { Crosshair } from "@/components/plots/crosshair";
import { Lane } from "@/components/recording/lanes/lane";
import { TimeMarks } from "@/components/recording/lanes/time-ruler";
import { useTimeline } from "@/components/recording/session/timeline-context";
import type { LinkedAxes } from "./linked-axes";

interface ShiftRulerProps {
  axes: LinkedAxes;
  /** Where B begins by the alignment alone, in seconds from the beginning of A. */
  aligned: number;
  onShift: (shiftMs: number) => void;
}

/** Milliseconds that keys move B by. */
const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageDown: -1_000,
  PageUp: 1_000,
};
const largeStep = 100;

/** The times of B. Dragging them, or keys, moves B by whole milliseconds. */
export function ShiftRuler({ axes, aligned, onShift }: ShiftRulerProps) {
  const { left } = useTimeline();
  const host = useRef<HTMLDivElement>(null);
  const drag = useRef<{ x: number; shiftMs: number; msPerPixel: number } | null>(null);
  const getShift = () => Math.round((axes.offset - aligned) * 1_000);
  const move = (shiftMs: number, isDragged: boolean) => axes.moveTo(aligned + shiftMs / 1_000, { isDragged });
  const describe = useLatest(() => {
    const shiftMs = getShift();
    host.current?.setAttribute("aria-valuenow", String(shiftMs));
    host.current?.setAttribute("aria-valuetext", `${shiftMs} ms later`);
  });
  useEffect(() => axes.subscribe(describe), [axes, describe]);
  useEffect(describe);

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    const { from, to } = axes.a.span;
    const width = Math.max(1, event.currentTarget.clientWidth);
    drag.current = { x: event.clientX, shiftMs: getShift(), msPerPixel: ((to - from) * 1_000) / width };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const held = drag.current;
    if (held) move(Math.round(held.shiftMs + (event.clientX - held.x) * held.msPerPixel), true);
  };
  const onPointerUp = () => {
    if (drag.current === null) return;
    drag.current = null;
    onShift(getShift());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || (step === undefined && event.key !== "Home")) return;
    event.preventDefault();
    event.stopPropagation();
    onShift(step === undefined ? 0 : getShift() + step * (event.shiftKey ? largeStep : 1));
  };
  return (
    <Crosshair axis={axes.b} left={left} className="relative border-b">
      <Lane label={<span>Time of B</span>}>
        <div
          ref={host}
          role="slider"
          tabIndex={0}
          aria-label="Shift of B in milliseconds"
          aria-valuemin={-86_400_000}
          aria-valuemax={86_400_000}
          aria-valuenow={0}
          title="Drag to move B"
          onPointerDown={onPointerDown}
          onPointerMove={onPointerMove}
          onPointerUp={onPointerUp}
          onPointerCancel={onPointerUp}
          onKeyDown={onKeyDown}
          className="cursor-ew-resize touch-none -outline-offset-2! select-none"
        >
          <TimeMarks axis={axes.b} />
        </div>
      </Lane>
    </Crosshair>
  );
}
