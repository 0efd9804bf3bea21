"use client";

import { useEffect, useMemo } from "react";
import type { TimeAxis } from "@/components/plots/time-axis";
import { useTRPCClient } from "@/components/trpc/client";
import { RecordingSession, type PlaybackSource } from "./recording-session";

/** The session of a recording, whose thread begins with its first panel and ends with the page. */
export function useRecordingSession(uid: string, axis: TimeAxis, playback: PlaybackSource): RecordingSession {
  const client = useTRPCClient();
  const session = useMemo(
    // Alone: the first picture does not wait for plots.
    () =>
      new RecordingSession(uid, axis, playback, () =>
        client.recordings.openPack.query({ uid }, { context: { alone: true } }),
      ),
    [uid, axis, playback, client],
  );
  useEffect(() => () => session.close(), [session]);
  return session;
}
