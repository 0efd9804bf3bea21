"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { formatNumber } from "@/components/kit/format";
import { PageBody } from "@/components/kit/page-header";
import { Progress } from "@/components/kit/progress";
import { nextPage } from "@/components/list/list-input";
import { PagedList } from "@/components/list/paged-list";
import { useTRPC } from "@/components/trpc/client";
import { projectHref, type ProjectDetail } from "./query";
import { explainNoTasks } from "./why-no-tasks";

const number = (value: number): string => formatNumber(value, 0);

/** The batches of a hundred tasks that a project is worked in. */
export function ProjectBatches({ project }: { project: ProjectDetail }) {
  const trpc = useTRPC();
  const query = useInfiniteQuery(
    trpc.projects.batches.infiniteQueryOptions({ project: project.uid, limit: 100 }, nextPage),
  );
  return (
    <PagedList
      label="Batches"
      query={query}
      failure="Batches could not be loaded"
      className="grid min-w-0 grid-cols-[6rem_minmax(0,1fr)] items-center gap-x-6 gap-y-1 border-t py-2 text-table sm:grid-cols-[6rem_minmax(0,1fr)_16rem]"
      empty={
        <PageBody>
          <p className="text-table text-muted">{explainNoTasks(project)}</p>
        </PageBody>
      }
    >
      {({ uid, number: at, task_count: total, started_count: started, completed_count: completed }) => (
        <>
          <Link
            href={`${projectHref(project.uid)}?${new URLSearchParams({ tab: "tasks", batch: uid }).toString()}`}
            className="text-accent-text hover:underline"
          >
            Batch {number(at)}
          </Link>
          <Progress share={total === 0 ? 0 : completed / total} label={`Batch ${number(at)}`} />
          <span className="text-muted tabular-nums max-sm:col-span-2">
            {number(completed)} of {number(total)} done
            {started > completed && `, ${number(started - completed)} in work`}
          </span>
        </>
      )}
    </PagedList>
  );
}
