"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useQuietValue } from "@/components/kit/quiet-value";
import { useTRPCClient, type Inputs } from "@/components/trpc/client";
import type { ConditionDraft } from "@/domain/conditions/draft";
import { isComplete, tidy } from "./conditions/condition-draft";
import type { ScopeDraft } from "./draft";
import { previewKey } from "./preview-key";
import type { LivePreview } from "./query";

/** The preview is requested this long (milliseconds) after the last change. */
const quietMs = 250;

/**
 * Where a condition on heartbeats would have triggered in those that are kept. Requested shortly after each change;
 * outdated requests are dropped, and the last result is shown meanwhile.
 */
export function useLivePreview({ condition, scope }: { condition: ConditionDraft; scope: ScopeDraft | null }) {
  const client = useTRPCClient();
  const complete = isComplete(condition);
  const newest = complete ? JSON.stringify({ condition: tidy(condition), scope }) : null;
  const quiet = useQuietValue(newest, quietMs);
  const query = useQuery<LivePreview>({
    queryKey: [previewKey, "heartbeats", quiet],
    enabled: quiet !== null,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 30_000,
    queryFn: ({ signal }) =>
      client.rules.previewLive.mutate(JSON.parse(quiet!) as Inputs["rules"]["previewLive"], { signal }),
  });
  return {
    data: query.data,
    error: query.error,
    refetch: query.refetch,
    complete,
    waiting: complete && (query.isFetching || quiet !== newest),
  };
}
