"use client";

import { useSyncExternalStore } from "react";

let message = "";
const listeners = new Set<() => void>();

/** Tells screen readers something that the eye sees elsewhere, such as "Copied" or "5 new alerts". */
export function announce(text: string): void {
  // The same words twice in a row would not be read again; a trailing space makes them new.
  message = text === message ? `${text}\u00a0` : text;
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where `announce` is heard; once in the root layout. */
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
