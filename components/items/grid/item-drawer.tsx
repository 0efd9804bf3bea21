"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Maximize2 } from "lucide-react";
import { useMemo } from "react";
import { itemHref, toGridPlace } from "@/components/items/item-links";
import type { ItemQuery, ItemSource } from "@/components/items/item-source";
import { ItemStatusMark } from "@/components/items/item-status-mark";
import { readNumber, type ViewedItem } from "@/components/items/item-type";
import { LabelCounts } from "@/components/items/label-counts";
import { listMetadataRows, toMetadataText } from "@/components/items/metadata-value";
import { Provenance } from "@/components/items/provenance";
import { ResultLine } from "@/components/items/result-line";
import { countLabels, listOutlines, listResultShapes } from "@/components/items/viewer/shapes";
import { ButtonLink } from "@/components/kit/button";
import { Drawer } from "@/components/kit/drawer";
import { formatDuration, formatNumber, plural } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { Bytes } from "@/components/kit/measure";
import { Skeleton } from "@/components/kit/skeleton";
import { InstantTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC } from "@/components/trpc/client";
import { ItemPicture } from "./item-picture";

/** A member of the metadata in words. */
function describeValue(key: string, value: unknown): string {
  if (key === "duration_seconds" && typeof value === "number") return formatDuration(value * 1_000);
  if (typeof value === "number") return formatNumber(value, 6);
  return toMetadataText(value);
}

/** The shapes that people drew: those of the latest accepted result, else of the latest one that was not rejected. */
function useDrawnShapes({ owner, slug }: ItemSource, item: ViewedItem) {
  const trpc = useTRPC();
  const { data: result } = useQuery({
    ...trpc.items.annotations.queryOptions({ owner, slug, uid: item.uid }),
    enabled: item.results.some(({ status }) => status !== "rejected"),
  });
  return { result, shapes: useMemo(() => listResultShapes(result), [result]) };
}

function Facts({ source, item }: { source: ItemSource; item: ViewedItem }) {
  const { result, shapes } = useDrawnShapes(source, item);
  const { source: _, ...own } = item.metadata;
  const { rows, more } = listMetadataRows(own);
  return (
    <div className="flex flex-col gap-5">
      <ItemPicture
        item={{ ...item, width: readNumber(item, "width"), height: readNumber(item, "height") }}
        load
        shapes={listOutlines(shapes)}
        className="h-72 rounded-panel"
      />
      {result && (
        <section className="text-table">
          <h3 className="mb-1 font-medium">Labels</h3>
          {shapes.length > 0 ? (
            <LabelCounts labels={countLabels(shapes)} />
          ) : (
            <p className="text-subtle">The result has no shapes.</p>
          )}
          <p className="mt-1 text-meta text-subtle">
            <ResultLine result={result} />
          </p>
        </section>
      )}
      <Provenance item={item} />
      <KeyValue
        items={[
          ["State", <ItemStatusMark key="state" status={item.status} />],
          ["Shapes", formatNumber(item.annotations_count, 0)],
          ["Size", <Bytes key="size" value={Number(item.size_bytes)} />],
          ["Added", <InstantTime key="added" value={item.created_at} />],
          ["By", item.added_by],
          ...(item.sequence_key === null
            ? []
            : [["Sequence", `${item.sequence_key}, frame ${item.frame ?? 0}`] as const]),
        ]}
      />
      {rows.length > 0 && (
        <section>
          <h3 className="mb-2 text-table font-medium">Metadata</h3>
          <KeyValue items={rows.map(([key, value]) => [key, describeValue(key, value)] as const)} />
          {more > 0 && (
            <p className="mt-1.5 text-meta text-subtle">{plural(more, "more value")} on the page of the item.</p>
          )}
        </section>
      )}
    </div>
  );
}

interface ItemDrawerProps {
  source: ItemSource;
  /** What the grid shows. */
  query: ItemQuery;
  /** The run whose predictions are shown. */
  run: string | null;
  uid: string | null;
  onClose: () => void;
}

/** What is known of one item, beside the grid. */
export function ItemDrawer({ source, query, run, uid, onClose }: ItemDrawerProps) {
  const trpc = useTRPC();
  const { data, error, refetch } = useQuery({
    ...trpc.items.get.queryOptions({ owner: source.owner, slug: source.slug, uid: uid ?? "" }),
    enabled: uid !== null,
    placeholderData: keepPreviousData,
  });
  const item = data?.uid === uid ? data : undefined;
  return (
    <Drawer
      open={uid !== null}
      onClose={onClose}
      title={item?.key ?? "Item"}
      subtitle={uid !== null && <UidChip uid={uid} />}
      actions={
        uid !== null && (
          <ButtonLink
            href={itemHref(source, uid, { ...toGridPlace(query), run })}
            prefetch={false}
            size="sm"
            icon={<Maximize2 aria-hidden />}
          >
            Open
          </ButtonLink>
        )
      }
    >
      {item ? (
        <Facts source={source} item={item} />
      ) : error ? (
        <ErrorState error={error} title="This item could not be loaded" onRetry={() => void refetch()} />
      ) : (
        <Skeleton className="h-72" />
      )}
    </Drawer>
  );
}
