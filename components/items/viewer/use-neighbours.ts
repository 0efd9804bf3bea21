"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { type DatasetAddress, type GridPlace } from "@/components/items/item-links";
import { itemMediaHref } from "@/components/items/item-media";
import { readFailure } from "@/components/product/failure";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { itemOrderings, type ItemOrdering } from "@/domain/items/grid-schema";

/** Items on each side that are fetched before somebody goes there. */
const ahead = 2;
/** Bytes of a picture up to which it is fetched too. */
const maxAheadBytes = 20_000_000;
const maxRetries = 3;

/** An item beside another one. */
export type Neighbour = Outputs["items"]["neighbours"]["item"];

const isOrdering = (text: string | null | undefined): text is ItemOrdering =>
  itemOrderings.some((ordering) => ordering === text);

/** The items before and after one, of which the next ones are fetched ahead. */
export function useNeighbours(dataset: DatasetAddress, uid: string, place: GridPlace) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const neighbours = useQuery({
    ...trpc.items.neighbours.queryOptions({
      ...dataset,
      uid,
      ...(place.filter_query_string ? { filter_query_string: place.filter_query_string } : {}),
      ...(isOrdering(place.ordering) ? { ordering: place.ordering } : {}),
    }),
    placeholderData: (before) => before,
    // Without them there is no way on, and a key that waits for them would be lost.
    retry: (count, error) => count < maxRetries && [429, 500, 502, 503, 504].includes(readFailure(error).status ?? 503),
    retryDelay: (count, error) => 1_000 * (readFailure(error).retryAfter ?? 2 ** count),
  });
  const { data, isPlaceholderData } = neighbours;
  const all = useMemo(() => (data ? [...data.before, data.item, ...data.after] : []), [data]);
  // Until those of this item are there, those of the one before lead on.
  const at = all.findIndex((each) => each.uid === uid);
  const { owner, slug } = dataset;
  useEffect(() => {
    if (!data || isPlaceholderData) return;
    const pictures: HTMLImageElement[] = [];
    for (const next of [...data.after.slice(0, ahead), ...data.before.slice(-1)]) {
      const of = { owner, slug, uid: next.uid };
      void queryClient.prefetchQuery({ ...trpc.items.get.queryOptions(of), staleTime: 10_000 });
      void queryClient.prefetchQuery({ ...trpc.items.annotations.queryOptions(of), staleTime: 10_000 });
      if (next.media !== "image" || Number(next.size_bytes) > maxAheadBytes) continue;
      const picture = new Image();
      picture.src = itemMediaHref(next.uid, "data");
      pictures.push(picture);
    }
    // What is left is no longer waited for.
    return () => pictures.forEach((picture) => !picture.complete && (picture.src = ""));
  }, [data, isPlaceholderData, owner, slug, queryClient, trpc]);
  return {
    /** The item and those around it, in their order. */
    all,
    /** Whether they are those of this item, or cannot be known. */
    isComplete: (data !== undefined && !isPlaceholderData) || neighbours.isError,
    before: at > 0 ? all[at - 1] : undefined,
    after: at >= 0 ? all[at + 1] : undefined,
  };
}
