"use client";

import { useEffect, useRef } from "react";
import { useLatest } from "@/components/kit/latest";
import { walk } from "./item-steps";
import type { Neighbour } from "./use-neighbours";

/** Steps that are kept until the items around are known; a key that is held down makes no more. */
const maxKept = 10;

interface Around {
  /** The item that is shown. */
  uid: string;
  /** It and those around it, in their order. */
  all: readonly Neighbour[];
  /** Whether these are those of the item that is shown. */
  isComplete: boolean;
}

/** Goes to the items around one. A step that comes before these are known is kept, and done once they are. */
export function useItemSteps(
  { uid, all, isComplete }: Around,
  open: (uid: string) => void,
): (forwards: boolean) => void {
  const kept = useRef(0);
  // Gone to, but not drawn yet: the next step begins there.
  const ahead = useRef<string | null>(null);
  const go = useLatest((steps: number) => {
    if (steps === 0) return;
    const isDrawn = ahead.current === null;
    const { to, left } = walk(
      all.map((each) => each.uid),
      ahead.current ?? uid,
      steps,
      isComplete && isDrawn,
    );
    kept.current = Math.max(-maxKept, Math.min(maxKept, left));
    if (to === null) return;
    ahead.current = to;
    open(to);
  });
  useEffect(() => {
    if (ahead.current === uid) ahead.current = null;
    go(kept.current);
  }, [uid, all, isComplete, go]);
  return (forwards) => go(kept.current + (forwards ? 1 : -1));
}
