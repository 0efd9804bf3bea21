"use client";

import { useEffect, useMemo } from "react";
import type { TimeAxis } from "@/components/plots/time-axis";
import { useTRPCClient, type Outputs } from "@/components/trpc/client";
import { isCameraSchema } from "@/engine/messages/picture-schemas";
import { deservesScene } from "@/engine/messages/scene-schemas";
import { RecordingSession, type PlaybackSource } from "./recording-session";

/** Whether a page probably shows what only the thread can read. */
const isWatched = ({ schema }: { schema: string }): boolean => isCameraSchema(schema) || deservesScene(schema);

/** The session of a recording, whose thread ends with the page. */
export function useRecordingSession(
  { uid, topics }: Pick<Outputs["recordings"]["get"], "uid" | "topics">,
  axis: TimeAxis,
  playback: PlaybackSource,
): RecordingSession {
  const client = useTRPCClient();
  const session = useMemo(
    // Alone: the first picture does not wait for plots.
    () =>
      new RecordingSession(uid, axis, playback, () =>
        client.recordings.openPack.query({ uid }, { context: { alone: true } }),
      ),
    [uid, axis, playback, client],
  );
  const watched = topics.some(isWatched);
  useEffect(() => {
    // The scripts of panels come later: the recording is opened meanwhile.
    if (watched) session.prepare();
    return () => session.close();
  }, [session, watched]);
  return session;
}
