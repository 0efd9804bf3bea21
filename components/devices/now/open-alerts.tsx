"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Section } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { Status } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import { severityLabels } from "@/domain/severity";
import { openAlertsInput } from "../query";

/** The worst open alerts of a device. */
export function OpenAlerts({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.alerts.inbox.queryOptions(openAlertsInput(uid)));
  const alerts = query.data?.results;
  return (
    <Section
      title="Open"
      actions={
        query.data?.next && (
          <Link href={`/devices/${uid}?tab=alerts`} className="rounded-control text-table text-accent-text underline">
            All alerts
          </Link>
        )
      }
    >
      {query.error && !alerts ? (
        <ErrorState error={query.error} title="The alerts could not be loaded" onRetry={() => void query.refetch()} />
      ) : !alerts ? (
        <SkeletonText lines={2} />
      ) : alerts.length === 0 ? (
        <p className="border-t py-2 text-table text-subtle">No alert is open.</p>
      ) : (
        <ul aria-label="Open alerts" className="border-t text-table">
          {alerts.map((alert) => (
            <li key={alert.uid} className="border-b">
              <Link
                href={`/alerts/${alert.uid}`}
                className="flex h-9 items-center gap-3 -outline-offset-2! hover:bg-hover"
              >
                <Status tone={alert.severity} className="w-20 shrink-0">
                  {severityLabels[alert.severity]}
                </Status>
                <span className="min-w-0 flex-1 truncate">
                  <span className="font-medium">{alert.rule_name}</span>
                  {alert.message && <span className="text-muted"> {alert.message}</span>}
                </span>
                <span className="shrink-0 text-meta text-subtle">
                  <RelativeTime value={alert.triggered_at} rich={false} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
