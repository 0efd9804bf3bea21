"use client";

import { useSyncExternalStore } from "react";

/** The exports that this tab waits for, which a reload does not forget. */
const storageKey = "exports.watched";
const maxWatched = 100;
const none: readonly string[] = [];

let watched: readonly string[] | null = null;
const listeners = new Set<() => void>();

function read(): readonly string[] {
  if (watched !== null) return watched;
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? "[]");
    watched = Array.isArray(stored) ? stored.filter((uid) => typeof uid === "string") : none;
  } catch {
    watched = none;
  }
  return watched;
}

function write(next: readonly string[]): void {
  watched = next.slice(-maxWatched);
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(watched));
  } catch {
    // Without storage they are known until the page is left.
  }
  for (const listener of listeners) listener();
}

/** Reports these exports when they are finished. */
export function watchExports(uids: readonly string[]): void {
  const added = uids.filter((uid) => !read().includes(uid));
  if (added.length > 0) write([...read(), ...added]);
}

export function unwatchExports(uids: readonly string[]): void {
  const rest = read().filter((uid) => !uids.includes(uid));
  if (rest.length < read().length) write(rest);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The exports that are waited for; null on the server. */
export const useWatchedExports = (): readonly string[] | null =>
  useSyncExternalStore<readonly string[] | null>(subscribe, read, () => null);
