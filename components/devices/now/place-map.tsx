"use client";

import { useMemo, useState } from "react";
import { TimeAxis } from "@/components/plots/time-axis";
import { TrackLine } from "@/components/recording/map/track-line";
import { TrackMap } from "@/components/recording/map/track-map";
import { nsFromMs } from "@/domain/time/nanoseconds";
import { toTrack } from "./place-track";

type Way = Parameters<typeof toTrack>[0];

interface PlaceMapProps extends Way {
  styleUrl: string | null;
  label: string;
}

/** A place on the map that the operator set up, or on a grid in metres, with the way to it. */
export function PlaceMap({ isLocal, place, north, east, styleUrl, label }: PlaceMapProps) {
  const [failure, setFailure] = useState<string | null>(null);
  const style = failure === null ? styleUrl : null;
  // Another object of the same place must not draw the map anew.
  const { north: y, east: x } = place;
  const { line, axis } = useMemo(() => {
    const { track, startMs } = toTrack({ isLocal, place: { north: y, east: x }, north, east });
    const end = (track.times_ms.at(-1) ?? 0) / 1000;
    const made = new TimeAxis(nsFromMs(startMs), { from: 0, to: end });
    made.playhead = end;
    return { line: new TrackLine(track, 0, style !== null), axis: made };
  }, [isLocal, x, y, north, east, style]);
  const tiles = useMemo(() => (style === null ? null : { styleUrl: style, onFail: setFailure }), [style]);
  return (
    <TrackMap
      line={line}
      axis={axis}
      marks={[]}
      tiles={tiles}
      noTiles={failure === null ? null : `No map: ${failure}`}
      onRetryTiles={failure === null ? null : () => setFailure(null)}
      label={label}
    />
  );
}
