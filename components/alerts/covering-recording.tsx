"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { recordingHref } from "@/components/product/recording-links";
import { useTRPC } from "@/components/trpc/client";
import { heartbeatTopic } from "@/domain/conditions/topics";
import { exactIsoFromNs, parseDateTimeNs } from "@/domain/time/nanoseconds";
import type { AlertDetail } from "./query";

/** Whether an alert is of a rule about heartbeats, which no recording triggered. */
export const isLive = ({ recording_id, evidence }: AlertDetail): boolean =>
  recording_id === null && evidence.kind === "rule" && evidence.leaves.some(({ topic }) => topic === heartbeatTopic);

/** Leads to the recording that shows the moment at which heartbeats triggered an alert. */
export function CoveringRecording({ alert }: { alert: AlertDetail }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.alerts.covering.queryOptions({ uid: alert.uid }));
  if (query.error) {
    const retry = () => void query.refetch();
    return <ErrorState error={query.error} title="The recordings could not be searched" onRetry={retry} />;
  }
  if (query.data === undefined) return <SkeletonText lines={1} />;
  if (query.data === null) {
    return <p className="text-table text-muted">No recording of this device covers this moment.</p>;
  }
  const at = parseDateTimeNs(alert.triggered_at);
  const href = recordingHref(query.data.uid, { layout: "suggested", ...(at !== null && { t: exactIsoFromNs(at) }) });
  return (
    <p className="text-table">
      <Link href={href} className="rounded-control text-accent-text underline">
        {query.data.name || query.data.uid}
      </Link>
      <span className="text-muted">, opens at this instant</span>
    </p>
  );
}
