"use client";

import { useEffect, useMemo } from "react";
import type { TimeAxis } from "@/components/plots/time-axis";
import { useTRPCClient, type Outputs } from "@/components/trpc/client";
import { opensEarly } from "./early-opening";
import { RecordingSession, type PlaybackSource } from "./recording-session";

/** The session of a recording, whose thread ends with the page. */
export function useRecordingSession(
  { uid, topics }: Pick<Outputs["recordings"]["get"], "uid" | "topics">,
  axis: TimeAxis,
  playback: PlaybackSource,
): RecordingSession {
  const client = useTRPCClient();
  const session = useMemo(
    // Alone: the first picture does not wait for plots, and the page may have begun the same request (`preloadPack`).
    () =>
      new RecordingSession(uid, axis, playback, () =>
        client.recordings.openPack.query({ uid }, { context: { alone: true } }),
      ),
    [uid, axis, playback, client],
  );
  const early = opensEarly({ topics });
  useEffect(() => {
    // The scripts of panels come later: the recording is opened meanwhile.
    if (early) session.prepare();
    return () => session.close();
  }, [session, early]);
  return session;
}
