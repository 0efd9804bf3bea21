"use client";

import { useState } from "react";
import { TimeAxis } from "@/components/plots/time-axis";
import { TrackMap } from "./track-map";
import { useTrack } from "./use-track";

interface MomentMapProps {
  /** The recording. */
  uid: string;
  /** A topic of a receiver of satellites. */
  topic: string;
  /** Nanoseconds since 1970. */
  at: bigint;
}

/** Where the robot was at a moment, on its way through the recording. */
export function MomentMap({ uid, topic, at }: MomentMapProps) {
  const [axis] = useState(() => {
    const made = new TimeAxis(at, { from: 0, to: 0 });
    made.playhead = 0;
    return made;
  });
  const { line, reason, tiles, noTiles, onRetryTiles } = useTrack(uid, topic, axis);
  return (
    <div className="@container relative h-40 overflow-hidden rounded-panel border bg-background">
      {line ? (
        <TrackMap
          line={line}
          axis={axis}
          marks={[]}
          tiles={tiles}
          noTiles={noTiles}
          onRetryTiles={onRetryTiles}
          label={`Map of ${topic} with the place of that moment`}
        />
      ) : (
        <p className="absolute inset-0 flex items-center justify-center p-3 text-center text-meta text-muted">
          {reason}
        </p>
      )}
    </div>
  );
}
