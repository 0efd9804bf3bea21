"use client";

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useMemo } from "react";
import { ItemPicture } from "@/components/items/grid/item-picture";
import { usePredictions } from "@/components/items/grid/use-predictions";
import { labelColour } from "@/components/items/item-colour";
import { itemHref } from "@/components/items/item-links";
import type { ItemCell } from "@/components/items/item-source";
import { Button } from "@/components/kit/button";
import { formatNumber } from "@/components/kit/format";
import { SkeletonText } from "@/components/kit/skeleton";
import { nextPage } from "@/components/list/list-input";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import type { Run } from "./query";

type Item = Outputs["runs"]["predictions"]["results"][number];

const toPicture = ({
  size,
  ...item
}: Item): Pick<ItemCell, "uid" | "status" | "media_type" | "tint" | "has_thumbnail" | "width" | "height"> => ({
  ...item,
  ...size,
});

/** What stands below a picture: the surest label with its score, or that nothing was found. */
function Caption({ item }: { item: Item }) {
  const [label, ...others] = item.labels;
  if (label === undefined) return <span className="text-muted">nothing found</span>;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span aria-hidden className="size-2 shrink-0 rounded-full" style={{ backgroundColor: labelColour(label) }} />
      <span className="min-w-0 truncate">{others.length > 0 ? `${label} +${others.length}` : label}</span>
      {item.max_score !== null && (
        <span className="ml-auto tabular-nums text-muted">{formatNumber(item.max_score, 2)}</span>
      )}
    </span>
  );
}

interface PredictedItemsProps {
  run: Run;
  label: string | null;
  /** 0: also those without a score. */
  least: number;
}

/** The items of a run with what it predicted drawn over them; each leads to the item. */
export function PredictedItems({ run, label, least }: PredictedItemsProps) {
  const trpc = useTRPC();
  const input = { uid: run.uid, ...(label !== null && { label }), ...(least > 0 && { min_score: least }), limit: 60 };
  const query = useInfiniteQuery({
    ...trpc.runs.predictions.infiniteQueryOptions(input, nextPage),
    placeholderData: keepPreviousData,
  });
  const pages = useMemo(() => query.data?.pages.map(({ results }) => results) ?? [], [query.data]);
  const predicted = usePredictions(run.dataset_uid, run.uid, pages);
  if (query.error && !query.data)
    return (
      <ErrorState error={query.error} title="Predictions could not be loaded" onRetry={() => void query.refetch()} />
    );
  if (!query.data) return <SkeletonText lines={4} />;
  const items = pages.flat();
  if (items.length === 0) return <p className="text-table text-muted">No items match.</p>;
  return (
    <div className="flex flex-col gap-4">
      <ul
        aria-label="Predicted items"
        className="grid grid-cols-2 gap-3 sm:grid-cols-[repeat(auto-fill,minmax(11rem,1fr))]"
      >
        {items.map((item) => {
          const picture = (
            <>
              <ItemPicture
                item={toPicture(item)}
                load
                predicted={predicted.get(item.uid)?.shapes}
                className="aspect-4/3"
              />
              <span className="block px-2 py-1 text-meta">
                <span className="sr-only">{item.key}, </span>
                <Caption item={item} />
              </span>
            </>
          );
          const styles = "block overflow-hidden rounded-panel border bg-raised";
          const { dataset_owner: owner, dataset_slug: slug } = run;
          return (
            <li key={item.uid}>
              {owner === null || slug === null ? (
                <span className={styles}>{picture}</span>
              ) : (
                <Link
                  href={itemHref({ owner, slug }, item.uid, { run: run.uid })}
                  prefetch={false}
                  title={item.key}
                  className={styles}
                >
                  {picture}
                </Link>
              )}
            </li>
          );
        })}
      </ul>
      {query.hasNextPage && (
        <Button className="self-start" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Load more
        </Button>
      )}
    </div>
  );
}
