"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { SeverityStatus } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import { reasonLabels, statusLabels } from "./labels";

/** The last five earlier alerts of the same rule on the same device, with their notes. */
export function AlertHistory({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.alerts.previous.queryOptions({ uid }));
  if (query.error)
    return (
      <ErrorState error={query.error} title="Earlier alerts could not be loaded" onRetry={() => void query.refetch()} />
    );
  if (!query.data) return <SkeletonText lines={3} />;
  if (query.data.length === 0)
    return <p className="text-table text-muted">The first time this rule triggers on this device.</p>;
  return (
    <ul className="flex flex-col">
      {query.data.map((alert) => (
        <li key={alert.uid} className="border-b py-2 first:pt-0 last:border-0">
          <div className="flex items-center gap-3 text-table">
            <SeverityStatus severity={alert.severity} hideLabel />
            <Link
              href={`/alerts/${alert.uid}`}
              className="min-w-0 flex-1 truncate rounded-control hover:underline"
              title={alert.message}
            >
              {alert.message}
            </Link>
            <span className="shrink-0 text-meta text-subtle">
              <RelativeTime value={alert.triggered_at} rich={false} />
            </span>
          </div>
          <p className="pl-5.5 text-meta text-muted">
            {alert.resolution_reason
              ? (reasonLabels[alert.resolution_reason] ?? alert.resolution_reason)
              : statusLabels[alert.status]}
            {alert.resolved_by && ` by ${alert.resolved_by}`}
            {alert.occurrence_count > 1 && `, ×${alert.occurrence_count}`}
          </p>
          {alert.note && alert.note !== "auto" && <Quote>{alert.note}</Quote>}
          {alert.comments.map((comment) => (
            <Quote key={comment.created_at + comment.author} by={comment.author}>
              {comment.body}
            </Quote>
          ))}
        </li>
      ))}
    </ul>
  );
}

function Quote({ by, children }: { by?: string; children: string }) {
  return (
    <blockquote className="mt-1 ml-5.5 border-l-2 pl-2 text-table whitespace-pre-wrap">
      {children}
      {by && <span className="text-meta text-subtle"> {by}</span>}
    </blockquote>
  );
}
