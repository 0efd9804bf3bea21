"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { itemHref } from "@/components/items/item-links";
import { Provenance } from "@/components/items/provenance";
import { IconButton } from "@/components/kit/icon-button";
import { Skeleton } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC, type Outputs } from "@/components/trpc/client";

interface WhereFromProps {
  task: string;
  /** Shows the frame of the recording before or after. */
  onFrame: (by: 1 | -1) => void;
}

/** Why the recording of an item shows no frames around it. */
function refuseFrames({ media, source }: Outputs["items"]["ofTask"]): string | undefined {
  const recording = source.links.find(({ kind }) => kind === "recording");
  if (!recording || source.topic === null || source.t_ns === null) return "This item is no frame of a recording.";
  if (!recording.exists) return "Its recording was deleted.";
  return media === "image" ? undefined : "This item is no picture.";
}

/** What the picture of a task came from; its links open beside the work. */
export function WhereFrom({ task, onFrame }: WhereFromProps) {
  const trpc = useTRPC();
  const query = useQuery(trpc.items.ofTask.queryOptions({ uid: task }));
  const item = query.data;
  if (query.error && !item)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} className="py-6" />;
  if (!item) return <Skeleton className="m-3 h-20" />;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3 text-table">
      <Provenance item={item} inNewTab />
      <div className="flex items-center gap-1">
        <span className="min-w-0 flex-1 text-subtle">Frames around it</span>
        <IconButton
          size="sm"
          label="Frame before"
          keys="mod+,"
          icon={<ChevronLeft aria-hidden />}
          disabledReason={refuseFrames(item)}
          onClick={() => onFrame(-1)}
        />
        <IconButton
          size="sm"
          label="Frame after"
          keys="mod+."
          icon={<ChevronRight aria-hidden />}
          disabledReason={refuseFrames(item)}
          onClick={() => onFrame(1)}
        />
      </div>
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
