"use client";

import { useEffect, useRef, useState } from "react";
import type { Overlay } from "@/engine/messages/picture-overlays";
import type { OverlayTopic } from "./picture-companions";
import type { RecordingSession } from "./recording-session";

const none: readonly Overlay[] = [];

/** What topics draw over the picture that is shown; of pictures that follow fast, the last one wanted counts. */
export function useOverlays(
  session: RecordingSession,
  topic: string,
  time: bigint | null,
  topics: readonly OverlayTopic[],
): readonly Overlay[] {
  const [found, setFound] = useState<readonly Overlay[]>(none);
  const wanted = useRef<{ time: bigint; topics: readonly OverlayTopic[] } | null>(null);
  const isBusy = useRef(false);
  useEffect(() => {
    wanted.current = time === null || topics.length === 0 ? null : { time, topics };
    if (isBusy.current) return;
    const read = async () => {
      isBusy.current = true;
      try {
        for (let next = wanted.current; next !== null; next = wanted.current) {
          wanted.current = null;
          setFound(await session.readOverlays(topic, next.time, next.topics));
        }
      } catch {
        // The panel says why its recording cannot be read.
        setFound(none);
      } finally {
        isBusy.current = false;
      }
    };
    void read();
  }, [session, topic, time, topics]);
  return time === null || topics.length === 0 ? none : found;
}
