"use client";

import { useQueries } from "@tanstack/react-query";
import type { ItemCell } from "@/components/items/item-source";
import { useTRPCClient, type Outputs } from "@/components/trpc/client";
import { maxShapeItems } from "@/domain/items/grid-schema";

export type CellShape = Outputs["items"]["shapes"][number]["shapes"][number];

/** What small pictures show of the shapes of the items on loaded pages, by their uid; nothing while they are not shown. */
export function useCellShapes(dataset: string, pages: readonly (readonly ItemCell[])[], shown: boolean) {
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
  const byUid = new Map<string, readonly CellShape[]>();
  for (const { data } of results) for (const { uid, shapes } of data ?? []) byUid.set(uid, shapes);
  return byUid;
}
