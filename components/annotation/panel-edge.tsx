"use client";

import { useState, type KeyboardEvent, type PointerEvent } from "react";
import { cn } from "@/components/kit/cn";
import { usePreference } from "@/components/kit/preferences-provider";

/** The width of the panel in pixels. */
const limits = { min: 280, max: 480, initial: 340, step: 20 };
const clamp = (width: number): number => Math.min(limits.max, Math.max(limits.min, Math.round(width)));

/** The width of the panel beside the stage, which is retained, and what changes it. */
export function usePanelWidth() {
  const [stored, store] = usePreference("editor.panel");
  const [dragged, setDragged] = useState<number | null>(null);
  const width = dragged ?? clamp(Number(stored) || limits.initial);
  const set = (next: number) => store(String(clamp(next)));
  return { width, dragged, setDragged, set };
}

/** The line between stage and panel: moved by pointer or arrow keys, back by a double click or Enter. */
export function PanelEdge({ width, dragged, setDragged, set }: ReturnType<typeof usePanelWidth>) {
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDragged(width);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const end = event.currentTarget.parentElement?.getBoundingClientRect().right;
    if (dragged !== null && end !== undefined) setDragged(clamp(end - event.clientX));
  };
  const onPointerUp = () => {
    if (dragged !== null) set(dragged);
    setDragged(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowLeft: width + limits.step,
      ArrowRight: width - limits.step,
      Home: limits.max,
      End: limits.min,
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
      aria-label="Width of the panel"
      aria-valuenow={width}
      aria-valuemin={limits.min}
      aria-valuemax={limits.max}
      tabIndex={0}
      className={cn(
        "relative z-20 w-px shrink-0 cursor-col-resize touch-none bg-border hover:bg-accent max-sm:hidden",
        // The line is a hairline; what takes the pointer is wide enough to be hit.
        "before:absolute before:inset-y-0 before:-left-1.5 before:w-3 before:content-['']",
        dragged !== null && "bg-accent",
      )}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => setDragged(null)}
      onDoubleClick={() => set(limits.initial)}
      onKeyDown={onKeyDown}
    />
  );
}
