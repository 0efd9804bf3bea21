"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { DemoMark } from "@/components/demo-fleet/demo-mark";
import { plural } from "@/components/kit/format";
import { Section } from "@/components/kit/page-header";
import { Skeleton } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { AddToDataset } from "@/components/moments/add-to-dataset";
import { ErrorState } from "@/components/product/error-state";
import { recordingHref } from "@/components/product/recording-links";
import { Status } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import { refreshMs, type RecordingInNeed } from "./query";

const describeAlerts = ({ open_alerts: open, worst }: Pick<RecordingInNeed, "open_alerts" | "worst">): string =>
  `${plural(open, "open alert")}, worst ${worst}`;

/** The newest recordings that failed or have an open alert. */
export function Attention() {
  const trpc = useTRPC();
  const shown = useDemoFilter();
  const query = useQuery({ ...trpc.overview.attention.queryOptions(shown), refetchInterval: refreshMs });
  return (
    <Section
      title="Recordings that need attention"
      actions={
        <Link href="/recordings" className="text-table text-accent-text hover:underline">
          All<span className="sr-only"> recordings</span>
        </Link>
      }
    >
      {query.error && !query.data ? (
        <ErrorState
          error={query.error}
          title="The recordings could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : !query.data ? (
        <Skeleton className="h-32" />
      ) : query.data.length === 0 ? (
        <p className="border-t py-3 text-table text-subtle">Nothing needs attention.</p>
      ) : (
        <ul className="border-t">
          {query.data.map((recording) => (
            <li key={recording.uid} className="flex min-h-9 items-center gap-2 border-b text-table hover:bg-hover">
              {recording.status === "error" ? (
                <Status
                  tone="error"
                  hideLabel
                >{`Failed: ${recording.error_message ?? "could not be processed"}`}</Status>
              ) : (
                recording.worst && (
                  <Link
                    href={`/alerts?recording_id=${recording.uid}`}
                    title={describeAlerts(recording)}
                    className="rounded-control"
                  >
                    <Status tone={recording.worst} hideLabel>
                      {describeAlerts(recording)}
                    </Status>
                  </Link>
                )
              )}
              <span className="min-w-0 flex-1 truncate">
                <Link href={recordingHref(recording.uid)} className="rounded-control font-medium hover:underline">
                  {recording.name || recording.uid}
                </Link>{" "}
                {recording.status === "error" ? (
                  <span className="text-muted" title={recording.error_message ?? undefined}>
                    failed
                  </span>
                ) : (
                  <Link href={`/devices/${recording.device_id}`} className="text-muted hover:underline">
                    {recording.device_name}
                  </Link>
                )}
              </span>
              <DemoMark of={recording} />
              <RelativeTime value={recording.started_at} rich={false} className="shrink-0 text-meta text-subtle" />
              {recording.status !== "error" && (
                <AddToDataset
                  rowLabel={`Add ${recording.name || recording.uid} to a dataset`}
                  getSource={() => ({ kind: "many", of: { recordings: [recording.uid] }, label: "1 recording" })}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
