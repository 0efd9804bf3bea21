"use client";

import { useEffect, useMemo, useState } from "react";
import type { RecordingSession } from "@/components/recording/session/recording-session";
import type { TopicFrames } from "@/components/recording/thread/topic-frames";
import { listFramed, type PanelTopic } from "./companion-topics";

const none: TopicFrames = {};

/** The frames of what may belong to one of several cameras; empty until they are read, and where names have to do. */
export function useTopicFrames(session: RecordingSession, topics: readonly PanelTopic[]): TopicFrames {
  const [frames, setFrames] = useState(none);
  const wanted = useMemo(() => listFramed(topics), [topics]);
  useEffect(() => {
    if (wanted.length === 0) return;
    let isOver = false;
    session.readTopicFrames(wanted).then(
      (found) => !isOver && setFrames(found),
      () => {}, // the panel says why its recording cannot be read
    );
    return () => {
      isOver = true;
    };
  }, [session, wanted]);
  return frames;
}
