"use client";

import { useNarrow } from "@/components/kit/media-query";
import { AddToDataset } from "@/components/moments/add-to-dataset";
import { useTimeline } from "@/components/recording/session/timeline-context";

/** Seconds before and after the playhead, where no range is marked; and how far the handles go beyond. */
const around = 5;
const reach = 30;

/** Adds the marked range, or what is around the playhead, to a dataset. */
export function AddRange() {
  const { axis, playback, recording } = useTimeline();
  const narrow = useNarrow();
  const getSource = () => {
    const head = axis.playhead ?? axis.bounds.from;
    const range = playback.state.range ?? { from: head - around, to: head + around };
    const clip = (at: number) => axis.ns(Math.min(axis.bounds.to, Math.max(axis.bounds.from, at)));
    return {
      kind: "range" as const,
      recordingId: recording.uid,
      from: clip(range.from),
      to: clip(range.to),
      bounds: { from: clip(range.from - reach), to: clip(range.to + reach) },
    };
  };
  // Hidden by the style sheet: the server does not know the width, and what it drew must not move.
  return (
    <span className="contents max-sm:hidden">
      <AddToDataset getSource={getSource} size="sm" keyed={!narrow} />
    </span>
  );
}
