"use client";

import { useEffect, useRef, useState } from "react";
import type { RecordingSession } from "@/components/recording/session/recording-session";
import type { WantedOverlays } from "@/components/recording/thread/picture-overlays";
import type { SceneTopic } from "@/components/recording/thread/scene-feed";
import type { Overlay } from "@/engine/messages/pictures/picture-overlays";

const none: readonly Overlay[] = [];

/** What topics draw over the picture that is shown; of pictures that follow fast, the last one wanted counts. */
export function useOverlays(
  session: RecordingSession,
  wanted: WantedOverlays | null,
  topics: readonly SceneTopic[],
): readonly Overlay[] {
  const [found, setFound] = useState<readonly Overlay[]>(none);
  const newest = useRef<WantedOverlays | null>(null);
  const isBusy = useRef(false);
  useEffect(() => {
    newest.current = wanted;
    if (isBusy.current) return;
    const read = async () => {
      isBusy.current = true;
      for (let next = newest.current; next !== null; next = newest.current) {
        newest.current = null;
        // The panel says why its recording cannot be read.
        setFound(await session.readOverlays(next, topics).catch(() => none));
      }
      isBusy.current = false;
    };
    void read();
  }, [session, wanted, topics]);
  return wanted === null ? none : found;
}
