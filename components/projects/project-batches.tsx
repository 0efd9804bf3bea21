"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { CalendarClock, TriangleAlert } from "lucide-react";
import Link from "next/link";
import { Suspense, useState } from "react";
import { useNow } from "@/components/kit/clock";
import { formatNumber } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { PageBody } from "@/components/kit/page-header";
import { Progress } from "@/components/kit/progress";
import { InstantTime } from "@/components/kit/time";
import { nextPage } from "@/components/list/list-input";
import { PagedList } from "@/components/list/paged-list";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { projectHref, type ProjectDetail } from "./query";
import { explainNoTasks } from "./why-no-tasks";

const BatchDialog = lazyDialog(async () => (await import("./batch-dialog")).default);

const number = (value: number): string => formatNumber(value, 0);

/** The batches of a hundred tasks that a project is worked in. */
export function ProjectBatches({ project }: { project: ProjectDetail }) {
  const trpc = useTRPC();
  const query = useInfiniteQuery(
    trpc.projects.batches.infiniteQueryOptions({ project: project.uid, limit: 100 }, nextPage),
  );
  const reason = usePermissions().refusal({ role: "admin" });
  const [edited, setEdited] = useState<Outputs["projects"]["batches"]["results"][number] | null>(null);
  return (
    <>
      <PagedList
        label="Batches"
        query={query}
        failure="Batches could not be loaded"
        className="grid min-w-0 grid-cols-[6rem_minmax(0,1fr)_2rem] items-center gap-x-6 gap-y-1 border-t py-2 text-table sm:grid-cols-[6rem_minmax(0,1fr)_14rem_12rem_2rem]"
        empty={
          <PageBody>
            <p className="text-table text-muted">{explainNoTasks(project)}</p>
          </PageBody>
        }
      >
        {(batch) => {
          const { uid, number: at, task_count: total, started_count: started, completed_count: completed, due } = batch;
          return (
            <>
              <Link
                href={`${projectHref(project.uid)}?${new URLSearchParams({ tab: "tasks", batch: uid }).toString()}`}
                className="text-accent-text hover:underline"
              >
                Batch {number(at)}
              </Link>
              <Progress share={total === 0 ? 0 : completed / total} label={`Batch ${number(at)}`} />
              <span className="text-muted tabular-nums max-sm:order-1 max-sm:col-span-3">
                {number(completed)} of {number(total)} done
                {started > completed && `, ${number(started - completed)} in work`}
              </span>
              <span className="text-muted tabular-nums max-sm:order-1 max-sm:col-span-3 max-sm:empty:hidden">
                {due !== null && <Due at={due} isDone={completed === total} />}
              </span>
              <IconButton
                size="sm"
                className="justify-self-end"
                label={`Due date and people of batch ${number(at)}`}
                disabledReason={reason}
                icon={<CalendarClock aria-hidden />}
                onClick={() => setEdited(batch)}
              />
            </>
          );
        }}
      </PagedList>
      <Suspense>{edited && <BatchDialog batch={edited} onClose={() => setEdited(null)} />}</Suspense>
    </>
  );
}

/** When a batch has to be done; one that is late says so by a shape and a word. */
function Due({ at, isDone }: { at: string; isDone: boolean }) {
  const isLate = useNow() > Date.parse(at) && !isDone;
  return (
    <span className="inline-flex items-center gap-1.5">
      {isLate && <TriangleAlert aria-hidden className="size-3.5 shrink-0 text-warning-text" />}
      <span className={isLate ? "text-warning-text" : undefined}>{isLate ? "Overdue since" : "Due"}</span>
      <InstantTime value={at} precision="day" />
    </span>
  );
}
