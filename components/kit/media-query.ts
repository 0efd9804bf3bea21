"use client";

import { useCallback, useSyncExternalStore } from "react";

/** Whether a media query matches; false on the server and in the first frame. */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(query).matches,
    () => false,
  );
}

/** Phones and narrow windows: below 640 px. */
export function useNarrow(): boolean {
  return useMediaQuery("(max-width: 639.98px)");
}
