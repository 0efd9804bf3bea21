"use client";

import { Check } from "lucide-react";
import { useRef, useState, type ReactNode, type TouchEvent } from "react";
import { cn } from "@/components/kit/cn";

/** How far a row must be dragged to count, in px. */
const far = 96;

interface Drag {
  row: HTMLElement;
  key: string;
  x: number;
  y: number;
  /** Null until it is clear whether the finger scrolls or swipes. */
  sideways: boolean | null;
  dx: number;
}

interface SwipeProps {
  enabled: boolean;
  label: string;
  /** Shown instead of the label to a person who may not; a swipe then does nothing. */
  disabledReason?: string | undefined;
  onSwipe: (key: string) => void;
  children: ReactNode;
}

/** On touch screens a row that is swiped to the right is acted on; everything else passes through. */
export function Swipe({ enabled, label, disabledReason, onSwipe, children }: SwipeProps) {
  const drag = useRef<Drag | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const [trail, setTrail] = useState<{ top: number; height: number; width: number; ready: boolean } | null>(null);

  const onTouchStart = (event: TouchEvent) => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>("tr[data-row]") : null;
    const touch = event.touches[0];
    if (!enabled || !row?.dataset.row || !touch || event.touches.length > 1) return;
    drag.current = { row, key: row.dataset.row, x: touch.clientX, y: touch.clientY, sideways: null, dx: 0 };
  };
  const onTouchMove = (event: TouchEvent) => {
    const at = drag.current;
    const touch = event.touches[0];
    if (!at || !touch) return;
    const [dx, dy] = [touch.clientX - at.x, touch.clientY - at.y];
    if (at.sideways === null && Math.hypot(dx, dy) > 10) at.sideways = dx > Math.abs(dy) * 1.5;
    if (at.sideways === false) return void (drag.current = null);
    if (!at.sideways) return;
    at.dx = Math.max(0, Math.min(dx, 200));
    at.row.style.transform = `translateX(${at.dx}px)`;
    const [place, frame] = [at.row.getBoundingClientRect(), box.current?.getBoundingClientRect()];
    setTrail({ top: place.top - (frame?.top ?? 0), height: place.height, width: at.dx, ready: at.dx >= far });
  };
  const onTouchEnd = () => {
    const at = drag.current;
    drag.current = null;
    setTrail(null);
    if (!at) return;
    at.row.style.transform = "";
    if (at.sideways && at.dx >= far && disabledReason === undefined) onSwipe(at.key);
  };
  return (
    <div
      ref={box}
      className="relative flex min-h-0 flex-1 touch-pan-y flex-col overflow-x-clip"
      onTouchStart={onTouchStart}
      onTouchMove={onTouchMove}
      onTouchEnd={onTouchEnd}
      onTouchCancel={onTouchEnd}
    >
      {children}
      {trail && (
        <div
          aria-hidden
          style={{ top: trail.top, height: trail.height, width: trail.width }}
          className={cn(
            "pointer-events-none absolute left-0 z-10 flex items-center gap-1.5 overflow-hidden pl-4 text-table font-medium whitespace-nowrap",
            trail.ready && disabledReason === undefined ? "bg-accent text-accent-foreground" : "bg-selected text-muted",
          )}
        >
          {disabledReason === undefined && <Check className="size-4 shrink-0" />}
          {disabledReason ?? label}
        </div>
      )}
    </div>
  );
}
