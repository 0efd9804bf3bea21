"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { nextPage } from "@/components/list/list-input";
import { useTRPC } from "@/components/trpc/client";
import { toConditionDraft } from "./draft";
import { suggestValue, type SuggestedValue } from "./suggestions/suggest-value";
import { countPerDay } from "./suggestions/suggestion";

/** How many of the latest hits are examined. */
const examined = 200;

/**
 * The value that is suggested for a rule, the same wherever it is shown; null while it is not known and where there is
 * none. Without a `uid` nothing is requested.
 */
export function useSuggestion(uid: string | null): SuggestedValue | null {
  const trpc = useTRPC();
  const enabled = uid !== null;
  const of = { uid: uid ?? "" };
  const rule = useQuery({ ...trpc.rules.get.queryOptions(of), enabled }).data;
  const noise = useQuery({ ...trpc.rules.noise.queryOptions(of), enabled }).data;
  const outcomes = useQuery({ ...trpc.rules.outcomes.queryOptions({ ...of, peaks: true }), enabled }).data;
  const hits = useInfiniteQuery({
    ...trpc.rules.hits.infiniteQueryOptions({ ...of, limit: examined }, nextPage),
    enabled,
  }).data?.pages[0]?.results;
  if (!rule || !noise || !outcomes || !hits) return null;
  const seen = { peaks: hits.map(({ peak }) => peak), hitsPerDay: countPerDay(noise.daily) };
  return suggestValue(toConditionDraft(rule.condition), seen, outcomes);
}
