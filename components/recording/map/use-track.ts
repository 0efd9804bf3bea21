"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { plural } from "@/components/kit/format";
import type { TimeAxis } from "@/components/plots/time-axis";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import type { Role } from "@/domain/permissions";
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
  /** Why there is a grid in place of the map; null where it is shown. */
  noTiles: string | null;
  /** Asks for the map again; null unless it failed. */
  onRetryTiles: (() => void) | null;
  /** Whether it is known where on earth it is; else its degrees are metres from 0°, 0°. */
  isLocal: boolean;
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
  const { role } = usePermissions();
  const [failure, setFailure] = useState<string | null>(null);
  const isLocal = data?.is_local ?? false;
  const styleUrl = failure === null && !isLocal ? (data?.style_url ?? null) : null;
  const line = useMemo(
    () =>
      data?.latitudes.some((latitude) => latitude !== null)
        ? new TrackLine(data, axis.seconds(BigInt(data.start_ns)), styleUrl !== null)
        : null,
    [data, axis, styleUrl],
  );
  const tiles = useMemo(() => (styleUrl === null ? null : { styleUrl, onFail: setFailure }), [styleUrl]);
  const reason = isPending ? "Loading" : error ? error.message : whyNoTrack(data ?? null);
  const noTiles = data ? describeGrid({ isLocal, failure, isSetUp: data.style_url !== null, role }) : null;
  const onRetryTiles = failure === null ? null : () => setFailure(null);
  return {
    line,
    withoutFix: data?.without_fix ?? 0,
    reason,
    tiles,
    noTiles,
    onRetryTiles,
    isLocal,
    fields: data?.fields ?? [],
  };
}

/** Why a grid in metres is shown, with the setting for those who may change it. */
function describeGrid(of: { isLocal: boolean; failure: string | null; isSetUp: boolean; role: Role }): string | null {
  if (of.isLocal) return "No datum places this frame on earth; distances are true";
  if (of.failure !== null) return `No map: ${of.failure}`;
  if (of.isSetUp) return null;
  const setting = of.role === "member" ? "" : ". MAP_STYLE_URL names a map";
  return `No map tiles are set up; distances are true${setting}`;
}

const whyNoTrack = (track: Track): string =>
  track
    ? `The receiver had no fix in ${plural(track.without_fix, "message")}.`
    : "The track cannot be shown: the signals of this topic are not stored, or some message has no place.";
