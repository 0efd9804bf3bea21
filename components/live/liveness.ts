"use client";

import { useSyncExternalStore } from "react";

let staleSince: number | null = null;
const listeners = new Set<() => void>();

/** Sets since when (ms) nothing was received from the server; null while the stream is alive. */
export function setStaleSince(since: number | null): void {
  if (since === staleSince) return;
  staleSince = since;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Since when (ms) the page may not be up to date; null while it is. */
export const useStaleSince = (): number | null =>
  useSyncExternalStore(
    subscribe,
    () => staleSince,
    () => null,
  );
