"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTRPC } from "@/components/trpc/client";
import type { TopicChoice } from "./conditions/topic-choices";
import { isNarrow, type ScopeDraft } from "./draft";

/** Heartbeats, and the topics that devices in scope have recorded, with their fields. */
export function useTopics(scope: ScopeDraft | null): readonly TopicChoice[] | undefined {
  const trpc = useTRPC();
  const join = (list: string[] | undefined) => (list && list.length > 0 ? list.slice(0, 100).join(",") : undefined);
  const filters = {
    device_id: join(scope?.device_ids),
    group_id: join(scope?.group_ids),
    tags: join(scope?.tags),
    limit: 200,
  };
  const query = useQuery({
    ...trpc.topics.list.queryOptions(filters),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const heartbeat = useQuery({
    ...trpc.topics.heartbeat.queryOptions({ scope: isNarrow(scope) ? scope : null }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  return useMemo(
    () => query.data && [...(heartbeat.data ? [heartbeat.data] : []), ...query.data],
    [heartbeat.data, query.data],
  );
}
