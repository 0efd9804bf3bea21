"use client";

import { useState, type CSSProperties, type KeyboardEvent, type PointerEvent } from "react";
import { cn } from "./cn";
import { usePreference } from "./preferences-provider";

const step = 20;

/** The widths of a panel in pixels. */
interface Limits {
  min: number;
  max: number;
  initial: number;
}

/** The width of a panel at a side, which is retained in a preference, and what changes it. */
export function usePanelWidth(preference: string, limits: Limits) {
  const [stored, store] = usePreference(preference);
  const [dragged, setDragged] = useState<number | null>(null);
  const clamp = (width: number): number => Math.min(limits.max, Math.max(limits.min, Math.round(width)));
  const width = dragged ?? clamp(Number(stored) || limits.initial);
  const set = (next: number) => store(String(clamp(next)));
  return { width, dragged, limits, drag: (next: number | null) => setDragged(next === null ? null : clamp(next)), set };
}

export type PanelWidth = ReturnType<typeof usePanelWidth>;

interface PanelEdgeProps extends PanelWidth {
  /** Where the panel lies in what surrounds it. */
  side?: "left" | "right";
  label?: string;
  /** For another place to grasp it by than the one that keys and screen readers find. */
  isPointerOnly?: boolean;
  style?: CSSProperties;
  className?: string;
}

/** The line beside such a panel: moved by pointer or arrow keys, back by a double click or Enter. */
export function PanelEdge(props: PanelEdgeProps) {
  const { width, dragged, limits, drag, set, side = "right", label = "Width of the panel", style, className } = props;
  const { isPointerOnly = false } = props;
  const isRight = side === "right";
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag(width);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.parentElement?.getBoundingClientRect();
    if (dragged !== null && box) drag(isRight ? box.right - event.clientX : event.clientX - box.left);
  };
  const onPointerUp = () => {
    if (dragged !== null) set(dragged);
    drag(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowLeft: isRight ? width + step : width - step,
      ArrowRight: isRight ? width - step : width + step,
      Home: isRight ? limits.max : limits.min,
      End: isRight ? limits.min : limits.max,
      Enter: limits.initial,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(next);
  };
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-hidden={isPointerOnly || undefined}
      aria-valuenow={width}
      aria-valuemin={limits.min}
      aria-valuemax={limits.max}
      tabIndex={isPointerOnly ? undefined : 0}
      style={style}
      className={cn(
        "relative z-20 w-px shrink-0 cursor-col-resize touch-none bg-border hover:bg-accent max-sm:hidden",
        // The line is a hairline; what takes the pointer is wide enough to be hit.
        "before:absolute before:inset-y-0 before:-left-1.5 before:w-3 before:content-['']",
        dragged !== null && "bg-accent",
        className,
      )}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => drag(null)}
      onDoubleClick={() => set(limits.initial)}
      onKeyDown={onKeyDown}
    />
  );
}
