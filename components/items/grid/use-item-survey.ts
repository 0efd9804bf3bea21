"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ItemQuery } from "@/components/items/item-source";
import { useLatest } from "@/components/kit/latest";
import { useTRPCClient } from "@/components/trpc/client";

/**
 * How many items there are and where each page of them begins. It stays as it is while the grid is open, so that nothing
 * moves below the pointer; `fresh` counts what was added meanwhile, and `renew` takes it in. What was empty takes it in itself.
 */
export function useItemSurvey(query: ItemQuery) {
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  // Not below "items", whose queries are fetched again with each change.
  const queryKey = ["item survey", query];
  const survey = useQuery({
    queryKey,
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
    queryFn: ({ signal }) => client.items.survey.mutate(query, { signal }),
  });
  const known = survey.data && !survey.data.timed_out ? survey.data : null;
  const fresh = useQuery({
    queryKey: [["items", "fresh"], query.dataset, query.filter, known?.newest],
    enabled: known !== null,
    retry: false,
    queryFn: ({ signal }) =>
      client.items.fresh.mutate(
        { dataset: query.dataset, filter: query.filter, newest: known?.newest ?? null },
        { signal },
      ),
  });
  const renew = () => queryClient.invalidateQueries({ queryKey });
  const added = fresh.data?.count ?? 0;
  // Where there was nothing, nothing moves below the pointer.
  const isFilled = known?.count === 0 && added > 0;
  const fill = useLatest(() => void renew());
  useEffect(() => {
    if (isFilled) fill();
  }, [isFilled, fill]);
  return {
    survey: known,
    timedOut: survey.data?.timed_out === true,
    error: survey.error,
    fetching: survey.isFetching,
    fresh: added,
    renew,
  };
}
