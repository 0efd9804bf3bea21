"use client";

import { useCallback, useEffect, useRef } from "react";

/**
 * A callback that never changes its identity yet always runs the newest version; for memoised children and listeners.
 */
export function useLatest<Args extends unknown[], Result>(
  callback: (...args: Args) => Result,
): (...args: Args) => Result {
  const latest = useRef(callback);
  useEffect(() => {
    latest.current = callback;
  });
  return useCallback((...args: Args) => latest.current(...args), []);
}
