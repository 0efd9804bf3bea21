"use client";

import { Pause, Play, StepBack, StepForward } from "lucide-react";
import { IconButton } from "@/components/kit/icon-button";
import { Input } from "@/components/kit/input";
import { useShortcuts } from "@/components/kit/shortcuts";
import type { usePlayback } from "./use-playback";

interface PlaybackBarProps {
  playback: ReturnType<typeof usePlayback>;
  times: ArrayLike<number>;
  frame: number;
  /** Frames that have shapes, as ticks. */
  marks: readonly number[];
  /** Frames that are missing in a view, hatched. */
  missing?: readonly number[];
}

const maxTicks = 400;

/** What plays pictures and steps through them, with the number of the one that is shown. */
export function PlaybackBar({ playback, times, frame, marks, missing = [] }: PlaybackBarProps) {
  const { isPlaying, speed, toggle, goTo, step, changeSpeed } = playback;
  const group = "Playing";
  useShortcuts([
    { keys: "space", label: "Play or pause", group, run: toggle },
    { keys: ",", label: "Previous frame", group, run: () => step(-1) },
    { keys: ".", label: "Next frame", group, run: () => step(1) },
    { keys: "shift+arrowleft", label: "Ten frames back", group, run: () => step(-10) },
    { keys: "shift+arrowright", label: "Ten frames on", group, run: () => step(10) },
    { keys: "<", label: "Slower", group, run: () => changeSpeed(false) },
    { keys: ">", label: "Faster", group, run: () => changeSpeed(true) },
  ]);
  const last = times.length - 1;
  const seconds = times[frame] ?? 0;
  const at = (number: number) => `${last === 0 ? 0 : (number / last) * 100}%`;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-t px-3 py-1.5 text-meta text-muted tabular-nums">
      <div className="flex items-center">
        <IconButton
          size="sm"
          label="Previous frame"
          keys=","
          icon={<StepBack aria-hidden />}
          onClick={() => step(-1)}
        />
        <IconButton
          size="sm"
          label={isPlaying ? "Pause" : "Play"}
          keys="space"
          icon={isPlaying ? <Pause aria-hidden /> : <Play aria-hidden />}
          onClick={toggle}
        />
        <IconButton size="sm" label="Next frame" keys="." icon={<StepForward aria-hidden />} onClick={() => step(1)} />
      </div>
      <div className="relative min-w-32 flex-1">
        <input
          type="range"
          aria-label="Frame"
          aria-valuetext={`Frame ${frame} of ${last}, ${seconds.toFixed(3)} s`}
          min={0}
          max={last}
          value={frame}
          onChange={({ currentTarget }) => goTo(Number(currentTarget.value))}
          className="block h-5 w-full accent-(--color-accent)"
        />
        {/* Below the line of the others, which stay on the height of the slider. */}
        <div aria-hidden className="pointer-events-none absolute inset-x-0 top-full -mt-0.5 h-2">
          {marks.slice(0, maxTicks).map((mark) => (
            <span key={mark} className="absolute h-2 w-0.5 bg-accent" style={{ left: at(mark) }} />
          ))}
          {missing.slice(0, maxTicks).map((gap) => (
            <span key={gap} className="absolute h-2 w-1 bg-warning" style={{ left: at(gap) }} />
          ))}
        </div>
      </div>
      <label className="flex items-center gap-1">
        Frame
        <Input
          type="number"
          aria-label="Frame number"
          className="h-7 w-20"
          min={0}
          max={last}
          value={String(frame)}
          onChange={({ currentTarget }) => {
            const wanted = Number(currentTarget.value);
            if (Number.isInteger(wanted)) goTo(wanted);
          }}
        />
        of {last}
      </label>
      <span>{seconds.toFixed(3)} s</span>
      <span>{speed}×</span>
    </div>
  );
}
