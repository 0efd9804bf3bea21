"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ItemQuery, ItemSurvey } from "@/components/items/item-source";
import { useTRPCClient } from "@/components/trpc/client";

/**
 * The place of the item that was at the top when the page was left, or that a link names: null while it is looked up, 0
 * without one.
 */
export function useGridPlace(query: ItemQuery, survey: ItemSurvey | null, at: string | null): number | null {
  const client = useTRPCClient();
  // Only where the grid begins: later the address follows it.
  const [start] = useState(() => ({ at, query: JSON.stringify(query) }));
  const wanted = start.query === JSON.stringify(query) ? start.at : null;
  const newest = survey?.newest ?? null;
  const { data, error } = useQuery({
    queryKey: ["item place", query, newest, wanted],
    enabled: wanted !== null && newest !== null,
    staleTime: Infinity,
    retry: false,
    queryFn: ({ signal }) =>
      client.items.place.mutate({ ...query, newest: newest ?? "", at: wanted ?? "" }, { signal }),
  });
  if (wanted === null || error !== null) return 0;
  return data?.place ?? null;
}
