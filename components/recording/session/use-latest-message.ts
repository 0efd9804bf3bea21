"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc/client";
import { useDebouncedPlayhead } from "./debounced";
import { useTimeline } from "./timeline-context";

/** The last messages of a topic at the playhead: the one that is shown, and the one before it. */
export function useLatestMessage(topic: string) {
  const { axis, recording } = useTimeline();
  const trpc = useTRPC();
  const at = axis.ns(useDebouncedPlayhead(axis, 250));
  const query = useQuery({
    ...trpc.recordings.messages.queryOptions(
      { uid: recording.uid, topic, at: String(at), limit: 4 },
      { staleTime: 5 * 60_000 },
    ),
    enabled: topic !== "",
    placeholderData: keepPreviousData,
  });
  // It is of another topic, while that of this one is on its way.
  const isOther = query.data !== undefined && query.data.topic !== topic;
  const data = isOther ? undefined : query.data;
  const messages = data?.messages ?? [];
  const latest = messages.findLastIndex(({ log_time_ns: time }) => BigInt(time) <= at);
  return {
    query,
    data,
    at,
    messages,
    message: messages[latest] ?? messages[0],
    before: latest > 0 ? messages[latest - 1] : undefined,
  };
}
