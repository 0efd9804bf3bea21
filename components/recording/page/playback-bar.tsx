"use client";

import { Maximize2, Pause, Play, Repeat, ZoomIn, ZoomOut } from "lucide-react";
import { useEffect, useRef, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import { formatBytes } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { useLatest } from "@/components/kit/latest";
import { LazyMenu } from "@/components/kit/menu";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { exactLabel } from "@/components/plots/axis-labels";
import { pace, readableMs } from "@/components/plots/pace";
import { speeds, usePlayback } from "@/components/recording/session/playback";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { AddRange } from "./add-range";

/** Play, speed, where the playhead is; tools of the page at its end. A drag over the bar sets the range to repeat. */
export function PlaybackBar({ children }: { children?: ReactNode }) {
  const { axis, playback } = useTimeline();
  const { playing, speed, range, waiting } = usePlayback(playback);
  const { zone } = useTimeZone();
  const track = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const clock = useRef<HTMLSpanElement>(null);
  const start = useRef<number | null>(null);
  const length = axis.bounds.to - axis.bounds.from;
  const share = (at: number) => `${((at - axis.bounds.from) / length) * 100}%`;

  const place = useLatest(() => {
    const left = `${((((axis.playhead ?? axis.bounds.from) - axis.bounds.from) / length) * 100).toFixed(2)}%`;
    if (head.current && head.current.style.left !== left) head.current.style.left = left;
  });
  const write = useLatest(() => {
    const at = axis.playhead ?? axis.bounds.from;
    if (clock.current)
      clock.current.textContent = `${exactLabel(axis, at, zone)}  +${(at - axis.bounds.from).toFixed(3)} s`;
    if (!head.current) return;
    head.current.setAttribute("aria-valuenow", at.toFixed(3));
    head.current.setAttribute("aria-valuetext", exactLabel(axis, at, zone));
  });
  useEffect(() => {
    const { call, stop } = pace(write, readableMs);
    const unsubscribes = [axis.subscribe(place), axis.subscribe(call)];
    return () => {
      for (const unsubscribe of unsubscribes) unsubscribe();
      stop();
    };
  }, [axis, place, write]);
  useEffect(place);
  useEffect(write);

  const toMoment = (event: PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    return box ? axis.bounds.from + Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * length : 0;
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    start.current = toMoment(event);
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent) => {
    if (start.current === null) return;
    const at = toMoment(event);
    if (Math.abs(at - start.current) < length / 150) return;
    playback.set({ range: { from: Math.min(at, start.current), to: Math.max(at, start.current) } });
  };
  const onPointerUp = (event: PointerEvent) => {
    const began = start.current;
    start.current = null;
    const at = toMoment(event);
    if (began !== null && Math.abs(at - began) < length / 150) axis.play(at);
    else if (began !== null) axis.play(Math.min(at, began));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    axis.play(event.key === "Home" ? axis.bounds.from : axis.bounds.to);
  };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-1 max-sm:px-2">
      <IconButton
        label={playing ? "Pause" : "Play"}
        keys="space"
        size="sm"
        variant="secondary"
        icon={playing ? <Pause aria-hidden /> : <Play aria-hidden />}
        onClick={() => playback.toggle()}
      />
      <LazyMenu
        size="sm"
        aria-label={`Playback speed: ${speed}×`}
        className="w-14 tabular-nums"
        items={() =>
          speeds.map((each) => ({
            label: `${each}×`,
            checked: each === speed,
            onSelect: () => playback.set({ speed: each }),
          }))
        }
      >
        {speed}×
      </LazyMenu>
      <span ref={clock} className="min-w-44 font-mono text-meta whitespace-pre tabular-nums" />
      <span role="status" aria-label="Loading of the recording" className="text-meta text-muted tabular-nums">
        {waiting?.isLong &&
          `Loading${waiting.bytesPerSecond === null ? "" : `, ${formatBytes(waiting.bytesPerSecond)}/s`}`}
      </span>
      <div
        ref={track}
        className="relative h-6 min-w-32 flex-1 cursor-pointer touch-none"
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
      >
        <div className="absolute inset-x-0 top-2.5 h-1 rounded-full bg-border" />
        {range && (
          <div
            className="absolute top-2 h-2 rounded-control border border-accent bg-accent/30"
            style={{ left: share(range.from), width: share(range.to - range.from + axis.bounds.from) }}
          />
        )}
        <div
          ref={head}
          role="slider"
          tabIndex={0}
          aria-label="Playhead"
          aria-valuemin={axis.bounds.from}
          aria-valuemax={axis.bounds.to}
          aria-valuenow={0}
          onKeyDown={onKeyDown}
          className="absolute top-1 -ml-1.5 h-4 w-3 rounded-control bg-accent"
        />
      </div>
      {range && (
        <IconButton
          label="Clear the playback range"
          size="sm"
          icon={<Repeat aria-hidden />}
          onClick={() => playback.set({ range: null })}
        />
      )}
      <AddRange />
      <span className="flex">
        <IconButton label="Zoom out" keys="-" size="sm" icon={<ZoomOut aria-hidden />} onClick={() => axis.zoom(1.6)} />
        <IconButton
          label="Zoom in"
          keys="+"
          size="sm"
          icon={<ZoomIn aria-hidden />}
          onClick={() => axis.zoom(1 / 1.6)}
        />
        <IconButton
          label="Show all"
          keys="0"
          size="sm"
          icon={<Maximize2 aria-hidden />}
          onClick={() => axis.show(axis.bounds)}
        />
      </span>
      {children}
    </div>
  );
}
