import { useEffect, useRef, type KeyboardEvent, type PointerEvent } from "react";
import { gutter } from "@/components/plots/plot-types";
import type { Window } from "../timeline-window";

interface TimeCursorProps {
  window: Window;
  /** Where it is (ms); null before it was moved. */
  at: number | null;
  /** How far an arrow key moves it, in milliseconds. */
  step: number;
  /** What screen readers say of a time. */
  describe: (at: number) => string;
  onMove: (at: number) => void;
}

/** Steps of Page Up and Page Down. */
const page = 12;

/** Lies over plots with their gutters: the pointer and the arrow keys move a cursor through their time, whose values are read out. */
export function TimeCursor({ window, at, step, describe, onMove }: TimeCursorProps) {
  const slider = useRef<HTMLDivElement>(null);
  // It comes with the data, after the dialog that it is in: the arrow keys work at once, unless somebody types meanwhile.
  useEffect(() => {
    const active = document.activeElement;
    if (!(active instanceof HTMLInputElement)) slider.current?.focus({ preventScroll: true });
  }, []);
  const value = at ?? window.to;
  const move = (to: number) => onMove(Math.round(Math.min(window.to, Math.max(window.from, to))));
  const onKeyDown = (event: KeyboardEvent) => {
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: value - step,
      ArrowDown: value - step,
      ArrowRight: value + step,
      ArrowUp: value + step,
      PageDown: value - page * step,
      PageUp: value + page * step,
      Home: window.from,
      End: window.to,
    };
    const target = targets[event.key];
    if (target === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    move(target);
  };
  const onPointer = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const width = Math.max(1, box.width - gutter.left - gutter.right);
    move(window.from + ((event.clientX - box.left - gutter.left) / width) * (window.to - window.from));
  };
  return (
    <div
      ref={slider}
      role="slider"
      tabIndex={0}
      aria-label="Moment"
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={Math.round((window.to - window.from) / 60_000)}
      aria-valuenow={Math.round((value - window.from) / 60_000)}
      aria-valuetext={describe(value)}
      onKeyDown={onKeyDown}
      onPointerDown={onPointer}
      onPointerMove={(event) => event.pointerType === "mouse" && onPointer(event)}
      className="absolute inset-0 z-10 touch-pan-y rounded-control"
    />
  );
}
