"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { Users } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { EmptyState } from "@/components/kit/empty-state";
import { plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { RelativeTime } from "@/components/kit/time";
import { nextPage } from "@/components/list/list-input";
import { PagedList } from "@/components/list/paged-list";
import { useOrigin } from "@/components/product/origin";
import { taskTypeLabels } from "@/components/projects/labels";
import { NewProjectButton } from "@/components/projects/new-project-button";
import { ProjectStatusMark } from "@/components/projects/project-columns";
import { ProjectProgress } from "@/components/projects/project-progress";
import { projectHref } from "@/components/projects/query";
import { useTRPC } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { ProjectAccessDialog } from "./project-access-dialog";
import type { Dataset } from "./query";

const createCommand = (origin: string, { uid, name }: Dataset): string => `curl ${origin}/api/v1/projects/ \\
  -H "X-Service-Api-Key: $KEY" -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ name, task_type: "image-annotation", datasets: [uid], labels: [{ name: "robot" }] })}'`;

/** The projects that have the items of a dataset labelled. */
export function ProjectsTab({ dataset }: { dataset: Dataset }) {
  const trpc = useTRPC();
  const origin = useOrigin();
  const [shared, setShared] = useState<string | null>(null);
  const query = useInfiniteQuery(
    trpc.datasets.projects.infiniteQueryOptions({ dataset: dataset.uid, limit: 50 }, nextPage),
  );
  const hasSome = query.data?.pages.some(({ results }) => results.length > 0) ?? false;
  return (
    <>
      {hasSome && (
        <div className="flex justify-end px-4 py-3 sm:px-6">
          <NewProjectButton dataset={dataset.uid} />
        </div>
      )}
      <PagedList
        label="Projects"
        query={query}
        failure="Projects could not be loaded"
        className="grid min-w-0 gap-x-6 gap-y-1 border-t py-2.5 max-sm:relative max-sm:pr-10 sm:grid-cols-[minmax(0,1fr)_9rem_16rem_2rem] sm:items-center"
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No projects yet"
            description="A project asks people to label the items of a dataset, and checks what they did."
            action={<NewProjectButton dataset={dataset.uid} />}
            curl={{ command: createCommand(origin, dataset), guide: guideHref("data-loop") }}
          />
        }
      >
        {(project) => (
          <>
            <span className="min-w-0">
              <Link
                href={projectHref(project.uid)}
                className="block truncate text-accent-text hover:underline"
                title={project.name}
              >
                {project.name}
              </Link>
              <span className="text-meta text-muted">
                {taskTypeLabels[project.task_type]}, {plural(project.task_count, "task")}, changed{" "}
                <RelativeTime value={project.updated_at} rich={false} />
                {project.access === "assigned" && ", only for assigned members"}
              </span>
            </span>
            <ProjectStatusMark of={project} />
            <ProjectProgress of={project} />
            <IconButton
              label={`Who sees ${project.name}`}
              size="sm"
              icon={<Users aria-hidden />}
              onClick={() => setShared(project.uid)}
              className="max-sm:absolute max-sm:top-2 max-sm:right-0"
            />
            {shared === project.uid && <ProjectAccessDialog project={project} onClose={() => setShared(null)} />}
          </>
        )}
      </PagedList>
    </>
  );
}
