"use client";

import { useSyncExternalStore } from "react";
import type { Span, TimeAxis } from "@/components/plots/time-axis";
import type { WaitReport } from "@/components/recording/thread/byte-wait";

export const speeds = [0.1, 0.2, 0.5, 1, 2, 5, 10] as const;

export interface PlaybackState {
  playing: boolean;
  speed: number;
  /** The range that playback repeats; null plays the recording once. */
  range: Span | null;
  /** While playing: why the playhead rests; null while it moves. */
  waiting: WaitReport;
}

/** The next speed up (1) or down (-1); the ends stay. */
export function nextSpeed(speed: number, direction: 1 | -1): number {
  const at = speeds.findIndex((each) => each >= speed);
  return speeds[Math.min(speeds.length - 1, Math.max(0, (at < 0 ? speeds.length - 1 : at) + direction))] ?? 1;
}

/** Where the playhead is `seconds` of wall time later, and whether it still moves. A range begins again at its end. */
export function advance(
  at: number,
  seconds: number,
  { speed, range }: Pick<PlaybackState, "speed" | "range">,
  bounds: Span,
) {
  const next = at + seconds * speed;
  if (range && range.to > range.from) {
    if (next < range.from || at > range.to) return { at: range.from, playing: true };
    return {
      at: next <= range.to ? next : range.from + ((next - range.from) % (range.to - range.from)),
      playing: true,
    };
  }
  return next < bounds.to ? { at: next, playing: true } : { at: bounds.to, playing: false };
}

/** A range with its start or end set to a moment; ends that would cross swap the other one out. */
export function rangeWith(range: Span | null, bounds: Span, side: "from" | "to", at: number): Span {
  const next = { ...(range ?? bounds), [side]: at };
  if (next.from < next.to) return next;
  return side === "from" ? { from: at, to: bounds.to } : { from: bounds.from, to: at };
}

/** Moves the playhead of an axis with time. Only its settings are React state; the position is in the axis. */
export class Playback {
  state: PlaybackState = { playing: false, speed: 1, range: null, waiting: null };
  private readonly listeners = new Set<() => void>();
  /** When the playhead was where it is now, by the page's clock. */
  movedAt = 0;
  private frame = 0;

  constructor(private readonly axis: TimeAxis) {}

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  set(change: Partial<PlaybackState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }

  toggle(): void {
    if (this.state.playing) return this.stop();
    const { axis } = this;
    // At the end, playing restarts from the beginning.
    if ((axis.playhead ?? 0) >= axis.bounds.to && !this.state.range) axis.play(axis.bounds.from);
    // Before listeners learn that it plays: they compute from it where the playhead is.
    this.movedAt = performance.now();
    this.set({ playing: true });
    this.frame = requestAnimationFrame(this.step);
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    if (this.state.playing) this.set({ playing: false, waiting: null });
  }

  /** Rests for all panels while bytes of one are late; null goes on. */
  wait = (waiting: WaitReport): void => {
    if (!this.state.playing) return;
    const rested = this.state.waiting !== null;
    cancelAnimationFrame(this.frame);
    if (rested && waiting === null) this.movedAt = performance.now();
    this.set({ waiting });
    if (waiting !== null) return;
    this.frame = requestAnimationFrame(this.step);
  };

  private step = (now: number): void => {
    const { axis } = this;
    const next = advance(axis.playhead ?? axis.bounds.from, (now - this.movedAt) / 1000, this.state, axis.bounds);
    this.movedAt = now;
    axis.play(next.at);
    const { from, to } = axis.span;
    // The view moves on by its width when the playhead leaves it.
    if (next.at > to || next.at < from) axis.show({ from: next.at, to: next.at + (to - from) });
    if (next.playing) this.frame = requestAnimationFrame(this.step);
    else this.stop();
  };
}

/** The state of a playback, for components. */
export const usePlayback = (playback: Playback): PlaybackState =>
  useSyncExternalStore(
    playback.subscribe,
    () => playback.state,
    () => playback.state,
  );
