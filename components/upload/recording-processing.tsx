"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Progress } from "@/components/kit/progress";
import { recordingHref } from "@/components/product/recording-links";
import { Status } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";

/** The state of a recording's processing, updated until it is ready. */
export function RecordingProcessing({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const status = useQuery({
    ...trpc.recordings.upload.status.queryOptions({ uid }),
    refetchInterval: ({ state }) => (state.data?.recording_status === "processing" || !state.data ? 2_000 : false),
  }).data;
  const state = status?.recording_status;
  return (
    <div className="flex flex-wrap items-center gap-3 text-table" aria-live="polite">
      {state === "ready" || state === "archived" ? (
        <Status tone="online">Ready</Status>
      ) : state === "error" ? (
        <Status tone="error" strong>
          {status?.error_message?.split("\n")[0] ?? "It could not be processed."}
        </Status>
      ) : (
        <>
          <Status tone="info">
            Processing
            {status?.progress !== null && status?.progress !== undefined && (
              <span className="tabular-nums"> {Math.floor(status.progress * 100)} %</span>
            )}
          </Status>
          <Progress share={status?.progress ?? null} label="Processing" className="w-24" />
        </>
      )}
      {(state === "ready" || state === "archived") && (
        <Link href={recordingHref(uid)} className="rounded-control text-accent-text hover:underline">
          Open timeline
        </Link>
      )}
    </div>
  );
}
