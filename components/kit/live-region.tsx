"use client";

import { useSyncExternalStore } from "react";

let message = "";
const listeners = new Set<() => void>();

/** Announces to screen readers what is visible elsewhere, such as "Copied" or "5 new alerts". */
export function announce(text: string): void {
  // The same text twice in a row would not be read again; a trailing space makes it different.
  message = text === message ? `${text}\u00a0` : text;
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Renders what `announce` was given; once in the root layout. */
export function LiveRegion() {
  const text = useSyncExternalStore(
    subscribe,
    () => message,
    () => "",
  );
  return (
    <div aria-live="polite" role="status" className="sr-only">
      {text}
    </div>
  );
}
