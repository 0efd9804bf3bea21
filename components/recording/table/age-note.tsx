"use client";

import { describeAge, isStale } from "@/components/product/panel-texts";
import { useTimeline } from "@/components/recording/session/timeline-context";

/** Says of the last message of a topic that it is too old to stand for the moment. */
export function AgeNote({ topic, seconds }: { topic: string; seconds: number }) {
  const { recording } = useTimeline();
  const hz = recording.topics.find(({ name }) => name === topic)?.frequency_hz ?? 0;
  // What is published rarely, as maps are, holds until the next one.
  if (hz < 0.5 || !isStale(seconds, hz)) return null;
  return <span className="ml-2 text-warning-text">{describeAge(seconds)}</span>;
}
