"use client";

import { useQuery } from "@tanstack/react-query";
import { Button } from "@/components/kit/button";
import { SkeletonText } from "@/components/kit/skeleton";
import { InstantTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { recordingTitle } from "@/components/recordings/query";
import { useTRPC } from "@/components/trpc/client";

interface ProposedRunsProps {
  /** The recording that something is to be compared with. */
  uid: string;
  onChoose: (uid: string) => void;
}

/** What a recording is best compared with: runs of its device. */
export function ProposedRuns({ uid, onChoose }: ProposedRunsProps) {
  const trpc = useTRPC();
  const query = useQuery(trpc.recordings.comparableRuns.queryOptions({ uid }));
  if (query.error) {
    const retry = () => void query.refetch();
    return <ErrorState error={query.error} title="Other runs could not be searched" onRetry={retry} />;
  }
  if (query.data === undefined) return <SkeletonText lines={2} className="max-w-130" />;
  const { calm, same_name: sameName } = query.data;
  const runs = [
    ...(calm ? [{ run: calm, what: "Last run without an open alert" }] : []),
    ...(sameName && sameName.uid !== calm?.uid ? [{ run: sameName, what: "Last run of the same name" }] : []),
  ];
  if (runs.length === 0) {
    return <p className="text-body text-muted">Its device has no other run to propose. Choose a recording above.</p>;
  }
  return (
    <ul aria-label="Proposed runs" className="flex flex-col gap-2">
      {runs.map(({ run, what }, at) => (
        <li key={run.uid} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-table">
          <Button variant={at === 0 ? "primary" : "secondary"} onClick={() => onChoose(run.uid)}>
            Compare with {recordingTitle(run)}
          </Button>
          <span className="text-muted">
            {what} of {run.device_name}, <InstantTime value={run.started_at} precision="minute" />
          </span>
        </li>
      ))}
    </ul>
  );
}
