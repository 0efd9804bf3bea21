"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
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
}

/** The track of a topic of a recording, its times in seconds of an axis. */
export function useTrack(uid: string, topic: string, axis: TimeAxis): ShownTrack {
  const trpc = useTRPC();
  const { data, error, isPending } = useQuery({
    ...trpc.recordings.track.queryOptions({ uid, topic }),
    staleTime: 60_000,
  });
  const line = useMemo(
    () =>
      data?.latitudes.some((latitude) => latitude !== null)
        ? new TrackLine(data, axis.seconds(BigInt(data.start_ns)))
        : null,
    [data, axis],
  );
  const reason = isPending ? "Loading" : error ? error.message : whyNoTrack(data ?? null);
  return { line, withoutFix: data?.without_fix ?? 0, reason };
}

const whyNoTrack = (track: Track): string =>
  track
    ? `The receiver had no fix in ${plural(track.without_fix, "message")}.`
    : "The track cannot be shown: the signals of this topic are not stored, or some message has no place.";
