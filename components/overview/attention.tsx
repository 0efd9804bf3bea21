"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { plural } from "@/components/kit/format";
import { Section } from "@/components/kit/page-header";
import { Skeleton } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { AddToDataset } from "@/components/moments/add-to-dataset";
import { ErrorState } from "@/components/product/error-state";
import { recordingHref } from "@/components/product/recording-links";
import { Status } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import { refreshMs } from "./query";

/** The newest recordings that failed or have an open alert. */
export function Attention() {
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.overview.attention.queryOptions(), refetchInterval: refreshMs });
  return (
    <Section
      title="Recordings that need attention"
      description="The newest with an open alert, and those that could not be processed"
      actions={
        <Link href="/recordings" className="text-table text-accent-text hover:underline">
          All recordings
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
            <li
              key={recording.uid}
              className="flex flex-wrap items-center gap-x-4 gap-y-0.5 border-b py-2 text-table hover:bg-hover"
            >
              <Link
                href={recordingHref(recording.uid)}
                className="min-w-0 basis-56 truncate rounded-control font-medium hover:underline"
              >
                {recording.name || recording.uid}
              </Link>
              <Link
                href={`/devices/${recording.device_id}`}
                className="min-w-0 basis-32 truncate text-muted hover:underline"
              >
                {recording.device_name}
              </Link>
              <span className="min-w-0 flex-1 truncate">
                {recording.status === "error" ? (
                  <Status tone="error">{recording.error_message ?? "Could not be processed"}</Status>
                ) : (
                  recording.worst && (
                    <Link href={`/alerts?recording_id=${recording.uid}`} className="hover:underline">
                      <Status
                        tone={recording.worst}
                      >{`${plural(recording.open_alerts, "open alert")}, worst ${recording.worst}`}</Status>
                    </Link>
                  )
                )}
              </span>
              <RelativeTime value={recording.started_at} className="text-subtle" />
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
