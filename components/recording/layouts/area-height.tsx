"use client";

import { useSyncExternalStore, type KeyboardEvent, type PointerEvent } from "react";

const key = "muster.panels-share";
/** Percent. As usual panels have two thirds of the page at 900 pixels, and lanes the rest. */
const bounds = { least: 15, most: 90, usual: 84 };
const listeners = new Set<() => void>();
let share: number | null = null;

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const clamp = (value: number): number => Math.min(bounds.most, Math.max(bounds.least, Math.round(value)));

function readShare(): number {
  if (share !== null) return share;
  const stored = Number(localStorage.getItem(key) ?? bounds.usual);
  share = Number.isFinite(stored) ? clamp(stored) : bounds.usual;
  return share;
}

function writeShare(next: number): void {
  share = clamp(next);
  localStorage.setItem(key, String(share));
  listeners.forEach((listener) => listener());
}

/** Percent of the height that panels get of what they share with the lanes; kept in the browser. */
export const useAreaShare = (): number => useSyncExternalStore(subscribe, readShare, () => bounds.usual);

/** Whether somebody moved the border. */
export const useIsAreaSized = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => localStorage.getItem(key) !== null,
    () => false,
  );

/** The border between panels and lanes: dragged, or moved by arrow keys. */
export function AreaBorder({ share }: { share: number }) {
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = event.currentTarget.parentElement?.parentElement?.getBoundingClientRect();
    const top = event.currentTarget.parentElement?.getBoundingClientRect().top;
    if (box && top !== undefined) writeShare(((event.clientY - top) / (box.bottom - top)) * 100);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 5 : event.key === "ArrowUp" ? -5 : 0;
    if (step === 0 || event.altKey) return;
    event.preventDefault();
    writeShare(share + step);
  };
  return (
    <div
      role="separator"
      aria-orientation="horizontal"
      aria-label="Border between panels and lanes"
      aria-valuenow={share}
      aria-valuemin={bounds.least}
      aria-valuemax={bounds.most}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
      className="h-1.5 shrink-0 cursor-row-resize touch-none transition-colors -outline-offset-2! hover:bg-border-strong max-lg:hidden"
    />
  );
}
