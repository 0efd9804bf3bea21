"use client";

import { useShortcuts, type Shortcut } from "@/components/kit/shortcuts";
import type { TimeAxis } from "@/components/plots/time-axis";
import type { ViewParts } from "@/components/recording/page/view-parts";
import { listViewShortcuts } from "@/components/recording/page/view-shortcuts";
import { nextSpeed, rangeWith, type Playback } from "@/components/recording/session/playback";

const group = "Comparison";

/** The keys of a comparison, which are those of the timeline for time. They are listed in the cheat sheet. */
export function useCompareKeys(axis: TimeAxis, playback: Playback, parts: ViewParts): void {
  const now = () => axis.playhead ?? axis.bounds.from;
  const goTo = (at: number) => {
    axis.play(at);
    const { from, to } = axis.span;
    const head = now();
    if (head < from || head > to) axis.show({ from: head - (to - from) / 2, to: head + (to - from) / 2 });
  };
  const speed = (direction: 1 | -1) => playback.set({ speed: nextSpeed(playback.state.speed, direction) });
  const mark = (side: "from" | "to") =>
    playback.set({ range: rangeWith(playback.state.range, axis.bounds, side, now()) });
  const shortcut = (keys: string, label: string, run: () => void): Shortcut => ({ keys, label, group, run });
  useShortcuts([
    shortcut("space", "Play or pause both", () => playback.toggle()),
    shortcut("arrowleft", "Back 1 s", () => goTo(now() - 1)),
    shortcut("arrowright", "Forward 1 s", () => goTo(now() + 1)),
    shortcut("shift+arrowleft", "Back 10 s", () => goTo(now() - 10)),
    shortcut("shift+arrowright", "Forward 10 s", () => goTo(now() + 10)),
    shortcut("+", "Zoom in", () => axis.zoom(1 / 1.6)),
    { ...shortcut("=", "Zoom in", () => axis.zoom(1 / 1.6)), hidden: true },
    shortcut("-", "Zoom out", () => axis.zoom(1.6)),
    shortcut("0", "Show all of both", () => axis.show(axis.bounds)),
    shortcut("i", "Set the start of the playback range", () => mark("from")),
    shortcut("o", "Set the end of the playback range", () => mark("to")),
    ...listViewShortcuts(parts, group, "Differences beside the panels"),
    shortcut("<", "Play slower", () => speed(-1)),
    shortcut(">", "Play faster", () => speed(1)),
  ]);
}
