"use client";

import { parseAsArrayOf, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useEffect, useMemo } from "react";
import { useLatest } from "@/components/kit/latest";
import { TimeAxis } from "@/components/plots/time-axis";
import { exactIsoFromNs, parseDateTimeNs, secondsFromNs } from "@/domain/time/nanoseconds";
import { useDebouncedPlayhead, useDebouncedSpan } from "./debounced";
import { usePlayback, type Playback } from "./playback";
import type { RecordingDetail } from "./query";

export const panelTabs = ["events", "log", "diagnostics", "states", "topics", "message", "table", "details"] as const;
export type PanelTab = (typeof panelTabs)[number];

const parsers = {
  t: parseAsString,
  from: parseAsString,
  to: parseAsString,
  /** Fields that are plotted; null for those the recording opens with, empty for none. */
  plots: parseAsArrayOf(parseAsString),
  topic: parseAsString,
  /** Topics pinned on top of the density lanes. */
  pins: parseAsArrayOf(parseAsString).withDefault([]),
  /** Rules whose hits are not drawn, by uid; `all` for none drawn. */
  hide: parseAsArrayOf(parseAsString).withDefault([]),
  /** The open panel; null for the one the recording opens with. */
  tab: parseAsStringLiteral(panelTabs),
};

/** What the address of a recording's page holds. Times change often, so they replace the entry in the history. */
export const useAddress = () => useQueryStates(parsers, { history: "replace", throttleMs: 400 });

/** Links count back from a moment, so those of a clock that began at 1970 come before it. */
const minYear = 1900;
const read = (text: string | null): bigint | null => (text === null ? null : parseDateTimeNs(text, minYear));

/** Where a recording ends: with its last message, or where messages are known to have been that could not be read. */
function computeEnd({ end_ns, gaps }: RecordingDetail): bigint {
  return gaps.reduce((end, gap) => (BigInt(gap.end_ns) > end ? BigInt(gap.end_ns) : end), BigInt(end_ns ?? 0));
}

/** The time axis of a recording, opened at the range in the address, and written back when it stops moving. */
export function useTimelineAxis(recording: RecordingDetail): TimeAxis {
  const [address] = useAddress();
  // As text, so that the same recording fetched again is the same axis.
  const [first, last] = [recording.start_ns ?? "0", String(computeEnd(recording))];
  return useMemo(() => {
    const [start, end] = [BigInt(first), BigInt(last)];
    const length = Math.max(secondsFromNs(end - start), 0.001);
    const bounds = { from: 0, to: length };
    const at = (text: string | null) => {
      const ns = read(text);
      return ns === null ? null : secondsFromNs(ns - start);
    };
    const [from, to] = [at(address.from), at(address.to)];
    const axis = new TimeAxis(start, bounds, from !== null && to !== null && to > from ? { from, to } : bounds);
    axis.playhead = Math.min(length, Math.max(0, at(address.t) ?? from ?? 0));
    return axis;
    // The address is read once: from then on the axis leads and the address follows.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [recording.uid, first, last]);
}

/** A moment in the address of this entry of the history, without the router's knowledge: it would render the page. */
function writeMoment(t: string): void {
  const url = new URL(location.href);
  url.searchParams.set("t", t);
  history.replaceState({ ...history.state, __NA: true }, "", url);
}

/** Writes the visible range and the playhead into the address when they stop moving, and the playhead while it plays. */
export function useAddressFollows(axis: TimeAxis, playback: Playback): void {
  const [address, setAddress] = useAddress();
  const span = useDebouncedSpan(axis);
  const playhead = useDebouncedPlayhead(axis, 300);
  const { playing } = usePlayback(playback);
  const follow = useLatest(() => {
    const isComplete = span.from <= axis.bounds.from && span.to >= axis.bounds.to;
    const from = isComplete ? null : exactIsoFromNs(axis.ns(span.from));
    const to = isComplete ? null : exactIsoFromNs(axis.ns(span.to));
    const t = playhead > axis.bounds.from ? exactIsoFromNs(axis.ns(playhead)) : null;
    if (playing && from === address.from && to === address.to) {
      if (t !== null) writeMoment(t);
      return;
    }
    // Writing what is there already would still make the router render, and until it has, it may undo other changes.
    const isThere = t === address.t && t === new URLSearchParams(location.search).get("t");
    if (from !== address.from || to !== address.to || !isThere) void setAddress({ from, to, t });
  });
  useEffect(() => follow(), [axis, span, playhead, playing, follow]);
}
