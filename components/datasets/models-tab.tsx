"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { RunModel } from "@/components/items/bulk/run-model";
import { Button } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import { formatDuration, formatNumber } from "@/components/kit/format";
import { Progress } from "@/components/kit/progress";
import { RelativeTime } from "@/components/kit/time";
import { nextPage } from "@/components/list/list-input";
import { PagedList } from "@/components/list/paged-list";
import { usePermissions } from "@/components/product/permissions";
import { Status } from "@/components/product/status";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { runLooks } from "./labels";
import { datasetHref, type Dataset } from "./query";

type Run = Outputs["datasets"]["runs"]["results"][number];

/** A run's progress is asked for this often (milliseconds) while it is under way. */
const refreshMs = 3_000;

const isUnderWay = ({ status }: Run): boolean => status === "pending" || status === "running";

/** The items of a dataset in the colours of what a run predicted. */
const predictionsHref = (dataset: Dataset, run: Run): string =>
  `${datasetHref(dataset)}?${new URLSearchParams({ color_by: "prediction", run: run.uid }).toString()}`;

function RunProgress({ run }: { run: Run }) {
  const { done_count: done, total_count: total, completed_at: completed, error_message: error } = run;
  const clipped = run.clipped_count;
  if (run.status === "failed") return <span className="text-meta break-words text-error-text">{error}</span>;
  const took = completed === null ? null : Date.parse(completed) - Date.parse(run.created_at);
  return (
    <span className="flex flex-col gap-1">
      {isUnderWay(run) && (
        <Progress label={`Progress of ${run.model_name}`} share={total === null || total === 0 ? null : done / total} />
      )}
      <span className="text-meta text-muted tabular-nums">
        {formatNumber(done, 0)}
        {total !== null && ` of ${formatNumber(total, 0)}`} items
        {took !== null && `, took ${formatDuration(took)}`}
        {clipped > 0 && `, ${formatNumber(clipped, 0)} clipped to the picture`}
      </span>
    </span>
  );
}

/** The runs of models over a dataset; each leads to what it predicted. */
export function ModelsTab({ dataset }: { dataset: Dataset }) {
  const trpc = useTRPC();
  const refused = usePermissions().refusal();
  const [choosing, setChoosing] = useState(false);
  const query = useInfiniteQuery({
    ...trpc.datasets.runs.infiniteQueryOptions({ dataset: dataset.uid, limit: 50 }, nextPage),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ results }) => results.some(isUnderWay)) === true ? refreshMs : false,
  });
  const start = (
    <Button icon={<Play aria-hidden />} disabledReason={refused} onClick={() => setChoosing(true)}>
      Run a model
    </Button>
  );
  return (
    <>
      <PagedList
        label="Runs"
        query={query}
        failure="Runs could not be loaded"
        className="grid min-w-0 gap-x-6 gap-y-1 border-t py-2.5 sm:grid-cols-[minmax(0,1fr)_8rem_16rem] sm:items-center"
        actions={start}
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No runs yet"
            description="A model marks what it finds in the items. Its predictions are shown beside what people said."
            action={start}
          />
        }
      >
        {(run) => {
          const { label, tone, shape } = runLooks[run.status];
          return (
            <>
              <span className="min-w-0">
                {run.done_count > 0 ? (
                  <Link
                    href={predictionsHref(dataset, run)}
                    className="block truncate text-accent-text hover:underline"
                    title={`Predictions of ${run.model_name}`}
                  >
                    {run.model_name}
                  </Link>
                ) : (
                  <span className="block truncate">{run.model_name}</span>
                )}
                <span className="text-meta text-muted">
                  {run.started_by !== null && `${run.started_by}, `}
                  <RelativeTime value={run.created_at} rich={false} />
                </span>
              </span>
              <Status tone={tone} shape={shape}>
                {label}
              </Status>
              <RunProgress run={run} />
            </>
          );
        }}
      </PagedList>
      <RunModel dataset={dataset.uid} selection={null} open={choosing} onClose={() => setChoosing(false)} />
    </>
  );
}
