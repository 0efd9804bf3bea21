"use client";

import { useSyncExternalStore } from "react";
import { useRenderedAt } from "./preferences-provider";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => listeners.forEach((each) => each()), 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/**
 * A text or number computed from the time (ms) and re-rendered only when it changes. All users share one timer, and the
 * first frame repeats the server's clock.
 */
export function useClock<T extends string | number | boolean>(compute: (now: number) => T): T {
  const renderedAt = useRenderedAt();
  return useSyncExternalStore(
    subscribe,
    () => compute(Date.now()),
    () => compute(renderedAt),
  );
}

/** The time in milliseconds, moving every `stepMs` (whole seconds). */
export function useNow(stepMs = 1000): number {
  return useClock((now) => Math.floor(now / stepMs) * stepMs);
}
