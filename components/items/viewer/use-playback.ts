"use client";

import { useEffect, useRef, useState } from "react";
import { useLatest } from "@/components/kit/latest";

const speeds = [0.1, 0.25, 0.5, 1, 2, 4, 8];

/** The last number whose time is not after `at`; times ascend. */
export function findFrame(times: ArrayLike<number>, at: number): number {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((times[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Plays through pictures by their own times, in seconds. `onFrame` is called with each that is due. */
export function usePlayback(times: ArrayLike<number>, frame: number, onFrame: (frame: number) => void) {
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const show = useLatest(onFrame);
  const current = useRef(frame);
  useEffect(() => {
    current.current = frame;
  });
  const last = times.length - 1;
  useEffect(() => {
    if (!isPlaying) return;
    const from = { at: performance.now(), time: times[current.current] ?? 0 };
    let request = 0;
    const tick = () => {
      const due = findFrame(times, from.time + ((performance.now() - from.at) / 1_000) * speed);
      if (due !== current.current) {
        current.current = due;
        show(due);
      }
      if (due >= last) return setPlaying(false);
      request = requestAnimationFrame(tick);
    };
    request = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(request);
  }, [isPlaying, speed, times, last, show]);
  const goTo = (to: number) => {
    setPlaying(false);
    show(Math.max(0, Math.min(last, to)));
  };
  return {
    isPlaying,
    speed,
    toggle: () => {
      if (!isPlaying && current.current >= last) show((current.current = 0));
      setPlaying(!isPlaying);
    },
    goTo,
    step: (by: number) => goTo(current.current + by),
    changeSpeed: (faster: boolean) =>
      setSpeed(speeds[Math.max(0, Math.min(speeds.length - 1, speeds.indexOf(speed) + (faster ? 1 : -1)))] ?? 1),
  };
}
