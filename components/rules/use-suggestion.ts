"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { nextPage } from "@/components/list/list-input";
import { useTRPC } from "@/components/trpc/client";
import { toConditionDraft } from "./draft";
import { countPerDay, suggestThreshold, type Suggestion } from "./suggestions/suggestion";

/** How many of the latest hits are examined. */
const examined = 200;

/**
 * The threshold that is suggested for a rule, the same wherever it is shown; null while it is not known and where there
 * is none. Without a `uid` nothing is requested.
 */
export function useSuggestion(uid: string | null): Suggestion | null {
  const trpc = useTRPC();
  const enabled = uid !== null;
  const rule = useQuery({ ...trpc.rules.get.queryOptions({ uid: uid ?? "" }), enabled }).data;
  const noise = useQuery({ ...trpc.rules.noise.queryOptions({ uid: uid ?? "" }), enabled }).data;
  const hits = useInfiniteQuery({
    ...trpc.rules.hits.infiniteQueryOptions({ uid: uid ?? "", limit: examined }, nextPage),
    enabled,
  }).data?.pages[0]?.results;
  if (!rule || !noise || !hits) return null;
  return suggestThreshold(
    toConditionDraft(rule.condition),
    hits.map(({ peak }) => peak),
    countPerDay(noise.daily),
  );
}
