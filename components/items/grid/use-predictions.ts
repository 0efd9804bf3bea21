"use client";

import { useQueries, useQuery } from "@tanstack/react-query";
import type { ItemCell } from "@/components/items/item-source";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { maxShapeItems } from "@/domain/items/grid-schema";

/** A run of a model over a dataset. */
export type ItemRun = Outputs["datasets"]["runs"]["results"][number];
/** What a run predicted for an item. */
export type Predicted = Outputs["items"]["predicted"][number];

/** Runs to choose from. */
const maxRuns = 20;
const none: readonly ItemRun[] = [];

/** The newest runs over a dataset that predicted something, newest first. */
export function useItemRuns(dataset: string): readonly ItemRun[] {
  const trpc = useTRPC();
  const { data } = useQuery({
    ...trpc.datasets.runs.queryOptions({ dataset, limit: maxRuns }),
    select: ({ results }) => results.filter(({ done_count: done }) => done > 0),
  });
  return data ?? none;
}

/** What a run predicted for the items on loaded pages, by their uid; nothing without a run. */
export function usePredictions(
  dataset: string,
  run: string | null,
  pages: readonly (readonly Pick<ItemCell, "uid">[])[],
) {
  const client = useTRPCClient();
  const wanted = run === null ? [] : pages.map((rows) => rows.map(({ uid }) => uid)).filter((uids) => uids.length > 0);
  const results = useQueries({
    queries: wanted.map((uids) => ({
      queryKey: [["items", "predicted"], dataset, run, uids],
      staleTime: 30_000,
      retry: false,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.items.predicted.mutate({ dataset, run: run ?? "", uids: uids.slice(0, maxShapeItems) }, { signal }),
    })),
  });
  const byUid = new Map<string, Predicted>();
  for (const { data } of results) for (const each of data ?? []) byUid.set(each.uid, each);
  return byUid;
}
