"use client";

import { useQuery } from "@tanstack/react-query";
import { itemHref } from "@/components/items/item-links";
import { Provenance } from "@/components/items/provenance";
import { Skeleton } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";

/** What the picture of a task came from; its links open beside the work. */
export function WhereFrom({ task }: { task: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.items.ofTask.queryOptions({ uid: task }));
  const item = query.data;
  if (query.error && !item)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} className="py-6" />;
  if (!item) return <Skeleton className="m-3 h-20" />;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3 text-table">
      <Provenance item={item} inNewTab />
      <p className="text-subtle">
        <a
          href={itemHref({ owner: item.dataset.owner_name, slug: item.dataset.slug }, item.uid)}
          target="_blank"
          rel="noreferrer"
          className="text-accent-text underline underline-offset-2"
        >
          {item.key}
        </a>{" "}
        in {item.dataset.name}, added <RelativeTime value={item.created_at} rich={false} />
      </p>
    </div>
  );
}
