"use client";

import { createContext, use, useEffect, useRef, useState, type PointerEvent, type ReactNode } from "react";
import { useLatest } from "@/components/kit/latest";
import type { DockSide } from "@/domain/layouts/docking";
import { findDrop, type Drop } from "./drop-place";
import { useLayoutEditing } from "./layout-editing";

/** Pixels that the pointer moves before a press is a drag. */
const minDistance = 6;

const labels: Readonly<Record<DockSide, string>> = {
  left: "Left",
  right: "Right",
  up: "Above",
  down: "Below",
  inside: "As a tab",
};

type Start = (id: string, event: PointerEvent<HTMLElement>) => void;
const DragContext = createContext<Start>(() => {});

/** What takes hold of a panel when it is pressed, to drag it to another place. */
export function useDragHandle(id: string) {
  const start = use(DragContext);
  return { onPointerDown: (event: PointerEvent<HTMLElement>) => start(id, event) };
}

/** The space in which panels are dragged; shows where one would go. Moving them by keys is what others do instead. */
export function DragArea({ children }: { children: ReactNode }) {
  const { dock, layout } = useLayoutEditing();
  const host = useRef<HTMLDivElement>(null);
  const [drop, setDrop] = useState<Drop | null>(null);
  const end = useRef<() => void>(() => {});
  useEffect(() => () => end.current(), []);
  const start = useLatest<Parameters<Start>, void>((id, down) => {
    const area = host.current;
    const handle = down.currentTarget;
    const control = down.target instanceof Element ? down.target.closest("button, a, input") : null;
    const isOther = control !== null && control !== handle;
    if (!area || down.button !== 0 || isOther || Object.keys(layout.panels).length < 2) return;
    const listening = new AbortController();
    let found: Drop | null = null;
    let isDragged = false;
    const stop = () => {
      listening.abort();
      setDrop(null);
    };
    end.current();
    end.current = stop;
    const { signal } = listening;
    const { pointerId, clientX, clientY } = down;
    const onMove = (event: globalThis.PointerEvent) => {
      if (event.pointerId !== pointerId) return;
      if (!isDragged && Math.hypot(event.clientX - clientX, event.clientY - clientY) < minDistance) return;
      if (!isDragged) handle.setPointerCapture(pointerId);
      isDragged = true;
      found = findDrop(area, id, event.clientX, event.clientY);
      setDrop(found);
    };
    const onUp = (event: globalThis.PointerEvent) => {
      if (event.pointerId !== pointerId) return;
      if (found) dock(id, found.target, found.side);
      stop();
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      stop();
    };
    window.addEventListener("pointermove", onMove, { signal });
    window.addEventListener("pointerup", onUp, { signal });
    window.addEventListener("pointercancel", stop, { signal });
    window.addEventListener("keydown", onKey, { signal, capture: true });
  });
  return (
    <DragContext value={start}>
      <div ref={host} className="relative size-full">
        {children}
        {drop && (
          <div
            aria-hidden
            data-drop={drop.side}
            className="pointer-events-none absolute z-30 flex items-center justify-center rounded-panel border-2 border-accent bg-accent/15"
            style={drop.box}
          >
            <span className="rounded-control bg-raised px-2 py-0.5 text-meta font-medium">{labels[drop.side]}</span>
          </div>
        )}
      </div>
    </DragContext>
  );
}
