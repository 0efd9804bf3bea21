"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useShortcuts, type Shortcut } from "@/components/kit/shortcuts";
import { refuseShortcut } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { nextSpeed, rangeWith } from "@/components/recording/session/playback";
import type { Timeline } from "@/components/recording/session/timeline-context";
import { useTRPC } from "@/components/trpc/client";
import type { ViewParts } from "./view-parts";
import { listViewShortcuts } from "./view-shortcuts";

const group = "Timeline";

/** All keys of the timeline. They are listed in the cheat sheet. */
export function useTimelineKeys(timeline: Timeline, parts: ViewParts): void {
  const { axis, playback, recording, topic, events, createEvent, exportRange, readOnly, reason } = timeline;
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const now = () => axis.playhead ?? axis.bounds.from;
  /** The view follows when the playhead leaves it. */
  const goTo = (at: number) => {
    axis.play(at);
    const { from, to } = axis.span;
    const head = now();
    if (head < from || head > to) axis.show({ from: head - (to - from) / 2, to: head + (to - from) / 2 });
  };
  const message = async (direction: 1 | -1) => {
    const name = topic ?? recording.topics[0]?.name;
    if (!name) return;
    const at = axis.ns(now());
    try {
      const { messages } = await queryClient.fetchQuery(
        trpc.recordings.messages.queryOptions(
          { uid: recording.uid, topic: name, at: String(at), limit: 6 },
          { staleTime: 5 * 60_000 },
        ),
      );
      const times = messages.map(({ log_time_ns }) => BigInt(log_time_ns));
      const next = direction > 0 ? times.find((time) => time > at) : times.findLast((time) => time < at);
      if (next !== undefined) goTo(axis.seconds(next));
    } catch (error) {
      toast.failure(error, { title: `Messages of ${name} could not be read` });
    }
  };
  const event = (direction: 1 | -1) => {
    const at = now();
    const times = (events?.events ?? []).map(({ at_ns }) => axis.seconds(BigInt(at_ns)));
    const next = direction > 0 ? times.find((time) => time > at + 1e-6) : times.findLast((time) => time < at - 1e-6);
    if (next !== undefined) goTo(next);
  };
  const mark = (side: "from" | "to") =>
    playback.set({ range: rangeWith(playback.state.range, axis.bounds, side, now()) });
  const speed = (direction: 1 | -1) => playback.set({ speed: nextSpeed(playback.state.speed, direction) });
  const shortcut = (keys: string, label: string, run: () => void, more: Partial<Shortcut> = {}): Shortcut => ({
    keys,
    label,
    group,
    run,
    ...more,
  });
  const create = () => createEvent(now());
  useShortcuts([
    shortcut("space", "Play or pause", () => playback.toggle()),
    shortcut("arrowleft", "Back 1 s", () => goTo(now() - 1)),
    shortcut("arrowright", "Forward 1 s", () => goTo(now() + 1)),
    shortcut("shift+arrowleft", "Back 10 s", () => goTo(now() - 10)),
    shortcut("shift+arrowright", "Forward 10 s", () => goTo(now() + 10)),
    shortcut(",", "Previous message of the focused topic", () => void message(-1)),
    shortcut(".", "Next message of the focused topic", () => void message(1)),
    shortcut("p", "Previous event", () => event(-1)),
    shortcut("n", "Next event", () => event(1)),
    shortcut("+", "Zoom in", () => axis.zoom(1 / 1.6)),
    shortcut("=", "Zoom in", () => axis.zoom(1 / 1.6), { hidden: true }),
    shortcut("-", "Zoom out", () => axis.zoom(1.6)),
    shortcut("0", "Show all of the recording", () => axis.show(axis.bounds)),
    shortcut("i", "Set the start of the playback range", () => mark("from")),
    shortcut("o", "Set the end of the playback range", () => mark("to")),
    ...listViewShortcuts(parts, group, "Events, log and details beside the panels"),
    shortcut("l", "Fold or unfold the lanes", parts.lanes.toggle, { when: () => !parts.focus.isOn }),
    shortcut("shift+c", "Export a range", exportRange),
    shortcut("<", "Play slower", () => speed(-1)),
    shortcut(">", "Play faster", () => speed(1)),
    ...(readOnly
      ? []
      : [
          shortcut("e", "Create an event at the playhead", create),
          shortcut("mod+e", "Create an event at the playhead", create, { hidden: true }),
        ].map((each) => refuseShortcut(each, reason))),
  ]);
}
