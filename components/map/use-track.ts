"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { plural } from "@/components/kit/format";
import type { TimeAxis } from "@/components/plots/time-axis";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { TrackLine } from "./track-line";

type Track = Outputs["recordings"]["track"];

interface ShownTrack {
  /** Null with a reason. */
  line: TrackLine | null;
  /** Messages without a fix. */
  withoutFix: number;
  reason: string;
  /** The map below the track; null for a grid. */
  tiles: Tiles | null;
  /** Fields that can colour the track. */
  fields: readonly string[];
  /** Why there is a grid in place of the map; null where none is set up, and where it is shown. */
  noTiles: string | null;
}

/** The map that the operator set up. */
export interface Tiles {
  styleUrl: string;
  /** To be called when it cannot be shown: a grid takes its place. */
  onFail: (reason: string) => void;
}

/** The track of a topic of a recording, coloured by a field of it, its times in seconds of an axis, and the map that it is shown on. */
export function useTrack(uid: string, topic: string, axis: TimeAxis, colour: string | null = null): ShownTrack {
  const trpc = useTRPC();
  const { data, error, isPending } = useQuery({
    ...trpc.recordings.track.queryOptions({ uid, topic, ...(colour !== null && { colour }) }),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
  const [noTiles, setNoTiles] = useState<string | null>(null);
  const styleUrl = noTiles === null ? (data?.style_url ?? null) : null;
  const line = useMemo(
    () =>
      data?.latitudes.some((latitude) => latitude !== null)
        ? new TrackLine(data, axis.seconds(BigInt(data.start_ns)), styleUrl !== null)
        : null,
    [data, axis, styleUrl],
  );
  const tiles = useMemo(() => (styleUrl === null ? null : { styleUrl, onFail: setNoTiles }), [styleUrl]);
  const reason = isPending ? "Loading" : error ? error.message : whyNoTrack(data ?? null);
  return { line, withoutFix: data?.without_fix ?? 0, reason, tiles, noTiles, fields: data?.fields ?? [] };
}

const whyNoTrack = (track: Track): string =>
  track
    ? `The receiver had no fix in ${plural(track.without_fix, "message")}.`
    : "The track cannot be shown: the signals of this topic are not stored, or some message has no place.";
