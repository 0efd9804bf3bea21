"use client";

import { useQuery } from "@tanstack/react-query";
import type { DatasetAddress } from "@/components/items/item-links";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { describeChange, describeEntry } from "@/components/product/activity-texts";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";

/** What happened to an item, its tasks and its results. */
export function ItemActivity({ dataset, uid }: { dataset: DatasetAddress; uid: string }) {
  const trpc = useTRPC();
  const activity = useQuery(trpc.items.activity.queryOptions({ ...dataset, uid }));
  if (activity.error)
    return (
      <ErrorState
        error={activity.error}
        title="The activity could not be loaded"
        onRetry={() => void activity.refetch()}
        className="py-4"
      />
    );
  if (!activity.data) return <SkeletonText />;
  if (activity.data.length === 0) return <p className="text-table text-subtle">Nothing was changed yet.</p>;
  return (
    <ol aria-label="Activity" className="flex flex-col gap-2 text-table">
      {activity.data.map((entry) => (
        <li key={entry.uid}>
          <p>
            {describeEntry(entry.action)}{" "}
            <span className="text-meta text-subtle">
              {entry.actor_name} <RelativeTime value={entry.created_at} rich={false} />
            </span>
          </p>
          {describeChange(entry.before, entry.after).map((change) => (
            <p key={change} className="text-meta break-words text-muted">
              {change}
            </p>
          ))}
        </li>
      ))}
    </ol>
  );
}
