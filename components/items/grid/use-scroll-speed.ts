"use client";

import { useEffect, useRef, useState, type RefObject } from "react";

/** Screens a second beyond which nothing is worth loading. */
const maxSpeed = 3;
/** The grid is slow again this long (milliseconds) after the last fast step. */
const calmMs = 150;

/** Whether a scroller moves too fast for anything in it to be seen. */
export function useScrollSpeed(scroller: RefObject<HTMLElement | null>): boolean {
  const [fast, setFast] = useState(false);
  const last = useRef({ top: 0, time: 0 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onScroll = ({ timeStamp }: Event) => {
      const { scrollTop, clientHeight } = element;
      const { top, time } = last.current;
      last.current = { top: scrollTop, time: timeStamp };
      const seconds = Math.max(1, timeStamp - time) / 1_000;
      // A jump after a pause is one step, however far: it is where somebody wants to be.
      if (seconds > 0.5 || Math.abs(scrollTop - top) / Math.max(1, clientHeight) / seconds <= maxSpeed) return;
      setFast(true);
      clearTimeout(timer);
      timer = setTimeout(() => setFast(false), calmMs);
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      element.removeEventListener("scroll", onScroll);
    };
  }, [scroller]);
  return fast;
}
