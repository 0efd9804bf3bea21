"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import type { RefObject } from "react";
import { useLatest } from "@/components/kit/latest";

const drawAllUpTo = 40;

/**
 * Which rows are worth drawing: all of a short list, of a long one those near the screen, with the room in px that the
 * others take above and below.
 */
export function useRowWindow(options: {
  keys: readonly string[];
  height: number;
  scroller: RefObject<HTMLElement | null>;
}) {
  const { keys, height, scroller } = options;
  const enabled = keys.length > drawAllUpTo;
  const virtualizer = useVirtualizer({
    count: keys.length,
    enabled,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (at) => keys[at] ?? at,
    overscan: 8,
    // The sticky header covers this much of the first row.
    scrollPaddingStart: 32,
    // On the server there is nothing to measure; a screenful of rows is drawn all the same.
    initialRect: { width: 1440, height: 800 },
    useFlushSync: false,
  });
  const scrollToIndex = useLatest((at: number) => {
    if (enabled) virtualizer.scrollToIndex(at);
    else scroller.current?.querySelectorAll("tbody tr")[at]?.scrollIntoView({ block: "nearest" });
  });
  if (!enabled) return { indexes: keys.map((_, at) => at), above: 0, below: 0, scrollToIndex };
  const items = virtualizer.getVirtualItems();
  return {
    indexes: items.map((item) => item.index),
    above: items[0]?.start ?? 0,
    below: virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0),
    scrollToIndex,
  };
}
