"use client";

import { useQueries } from "@tanstack/react-query";
import { useTRPCClient, type Outputs } from "@/components/trpc/client";
import { maxShapeItems } from "@/domain/slices/grid-schema";
import type { ItemCell } from "./item-source";

export type ItemShape = Outputs["items"]["shapes"][number]["shapes"][number];

/** The shapes of the items on loaded pages by their uid; nothing while they are not shown. */
export function useItemShapes(dataset: string, pages: readonly (readonly ItemCell[])[], shown: boolean) {
  const client = useTRPCClient();
  const labelled = shown
    ? pages
        .map((rows) => rows.filter((row) => row.annotations_count > 0 && !row.gone).map(({ uid }) => uid))
        .filter((uids) => uids.length > 0)
    : [];
  const results = useQueries({
    queries: labelled.map((uids) => ({
      queryKey: [["items", "shapes"], dataset, uids],
      staleTime: 30_000,
      retry: false,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.items.shapes.mutate({ dataset, uids: uids.slice(0, maxShapeItems) }, { signal }),
    })),
  });
  const byUid = new Map<string, readonly ItemShape[]>();
  for (const { data } of results) for (const { uid, shapes } of data ?? []) byUid.set(uid, shapes);
  return byUid;
}
