"use client";

import Link from "next/link";
import { MediaImage } from "@/components/item-viewer/media-image";
import { sequenceHref } from "@/components/items/item-links";
import { itemMediaHref } from "@/components/items/item-media";
import { Button } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import { plural } from "@/components/kit/format";
import { Skeleton } from "@/components/kit/skeleton";
import { nextPage } from "@/components/list/list-input";
import { useListQuery } from "@/components/list/use-list-query";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { UploadToDataset, type UploadedDataset } from "./upload-to-dataset";

/** The sequences of a dataset. */
export function SequencesTab({ dataset }: { dataset: UploadedDataset }) {
  const trpc = useTRPC();
  const at = { owner: dataset.owner_name, slug: dataset.slug };
  const { query, rows, table } = useListQuery(trpc.sequences.list.infiniteQueryOptions({ ...at, limit: 50 }, nextPage));
  if (query.error && !rows)
    return <ErrorState error={query.error} title="Sequences could not be loaded" onRetry={table.onRetry} />;
  if (!rows) return <Skeleton className="m-4 h-24" />;
  if (rows.length === 0)
    return (
      <EmptyState
        kind="nothing-yet"
        title="No sequences"
        description="Upload folders of frames to a dataset that keeps folders as sequences."
        action={<UploadToDataset dataset={dataset} />}
      />
    );
  return (
    <div className="flex flex-col gap-3 overflow-y-auto p-4 sm:px-6">
      <ul aria-label="Sequences" className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {rows.map((sequence) => (
          <li key={sequence.uid}>
            <Link
              href={sequenceHref(at, sequence.uid)}
              className="flex items-center gap-3 rounded-panel border p-2 hover:bg-hover"
            >
              <span className="flex h-14 w-20 shrink-0 items-center justify-center overflow-hidden rounded-control bg-hover">
                {sequence.first_item !== null && sequence.has_thumbnail && (
                  <MediaImage
                    alt=""
                    src={itemMediaHref(sequence.first_item, "thumb")}
                    loading="lazy"
                    className="size-full object-contain"
                  />
                )}
              </span>
              <span className="min-w-0 flex-1">
                <span className="block truncate text-table font-medium">{sequence.key}</span>
                <span className="block text-meta text-muted tabular-nums">
                  {plural(sequence.frame_count, "frame")}, {plural(sequence.view_count, "view")}
                </span>
                <span className="block text-meta text-subtle">{sequence.status.replaceAll("_", " ")}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {table.hasMore && (
        <Button className="self-start" busy={table.loadingMore} onClick={table.onLoadMore}>
          Load more
        </Button>
      )}
    </div>
  );
}
