"use client";

import { useEffect } from "react";
import { useLatest } from "@/components/kit/latest";
import { useShortcuts } from "@/components/kit/shortcuts";
import type { StagePlace } from "./use-stage-place";

/** The keys that enlarge a picture. */
export function useStageKeys(place: StagePlace): void {
  const group = "Item";
  useShortcuts([
    { keys: "0", label: "Fit the picture", group, run: place.fit },
    { keys: "shift+0", label: "Show pixel for pixel", group, run: place.full },
    { keys: "+", label: "Enlarge", group, run: () => place.zoom(1.25) },
    { keys: "-", label: "Reduce", group, run: () => place.zoom(0.8) },
  ]);
  const full = useLatest(place.full);
  useEffect(() => {
    // With Shift the key has another character on most keyboards, so that its chord is not known.
    const onKeyDown = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.closest("input, textarea, select, [contenteditable]");
      if (event.code !== "Digit0" || !event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || isTyping)
        return;
      event.preventDefault();
      full();
    };
    addEventListener("keydown", onKeyDown, true);
    return () => removeEventListener("keydown", onKeyDown, true);
  }, [full]);
}
