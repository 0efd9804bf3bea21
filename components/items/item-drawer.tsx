"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Maximize2 } from "lucide-react";
import { ButtonLink } from "@/components/kit/button";
import { Drawer } from "@/components/kit/drawer";
import { formatDuration, formatNumber } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { Bytes } from "@/components/kit/measure";
import { Skeleton } from "@/components/kit/skeleton";
import { InstantTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { ItemPicture } from "./item-picture";
import { itemHref, type ItemQuery, type ItemSource } from "./item-source";
import { ItemStatusMark } from "./item-status-mark";
import { Provenance } from "./provenance";

type Detail = Outputs["items"]["detail"];

/** A member of the metadata in words; objects as JSON. */
function describeValue(key: string, value: unknown): string {
  if (key === "duration_seconds" && typeof value === "number") return formatDuration(value * 1_000);
  if (typeof value === "number") return formatNumber(value, 6);
  return typeof value === "string" ? value : JSON.stringify(value);
}

const toNumber = (value: unknown): number | null => (typeof value === "number" ? value : null);

function Facts({ item }: { item: Detail }) {
  const { metadata } = item;
  const own = Object.entries(metadata).filter(([key]) => key !== "source");
  return (
    <div className="flex flex-col gap-5">
      <ItemPicture
        item={{
          ...item,
          label: null,
          width: toNumber(metadata.width),
          height: toNumber(metadata.height),
          extent: null,
        }}
        load
        className="h-72 rounded-panel"
      />
      <Provenance metadata={metadata} names={item} />
      <KeyValue
        items={[
          ["State", <ItemStatusMark key="state" status={item.status} />],
          ["Shapes", formatNumber(item.annotations_count, 0)],
          ["Size", <Bytes key="size" value={Number(item.size_bytes)} />],
          ["Added", <InstantTime key="added" value={item.created_at} />],
          ["By", item.added_by],
          ...(item.sequence === null ? [] : [["Sequence", `${item.sequence}, frame ${item.frame ?? 0}`] as const]),
        ]}
      />
      {own.length > 0 && (
        <section>
          <h3 className="mb-2 text-table font-medium">Metadata</h3>
          <KeyValue items={own.map(([key, value]) => [key, describeValue(key, value)] as const)} />
        </section>
      )}
    </div>
  );
}

interface ItemDrawerProps {
  source: ItemSource;
  /** What the grid shows. */
  query: ItemQuery;
  uid: string | null;
  onClose: () => void;
}

/** What is known of one item, beside the grid. */
export function ItemDrawer({ source, query, uid, onClose }: ItemDrawerProps) {
  const trpc = useTRPC();
  const { data, error, refetch } = useQuery({
    ...trpc.items.detail.queryOptions({ dataset: source.dataset, uid: uid ?? "" }),
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
          <ButtonLink href={itemHref(source, uid, query)} prefetch={false} size="sm" icon={<Maximize2 aria-hidden />}>
            Open
          </ButtonLink>
        )
      }
    >
      {item ? (
        <Facts item={item} />
      ) : error ? (
        <ErrorState error={error} title="This item could not be loaded" onRetry={() => void refetch()} />
      ) : (
        <Skeleton className="h-72" />
      )}
    </Drawer>
  );
}
