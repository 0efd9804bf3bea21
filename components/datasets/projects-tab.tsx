"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { Users } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { EmptyState } from "@/components/kit/empty-state";
import { formatNumber, plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { RelativeTime } from "@/components/kit/time";
import { nextPage } from "@/components/list/list-input";
import { PagedList } from "@/components/list/paged-list";
import { useOrigin } from "@/components/product/origin";
import { Status } from "@/components/product/status";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { guideHref } from "@/domain/docs/guides";
import { projectLooks, taskTypeLabels } from "./labels";
import { ProjectAccess } from "./project-access";
import { itemsHref, type Dataset } from "./query";

type Project = Outputs["datasets"]["projects"]["results"][number];

const number = (value: number): string => formatNumber(value, 0);

const createCommand = (origin: string, { uid, name }: Dataset): string => `curl ${origin}/api/v1/projects/ \\
  -H "X-Service-Api-Key: $KEY" -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ name, task_type: "image-annotation", datasets: [uid], labels: [{ name: "robot" }] })}'`;

/** How far a project is, in words and as a bar: accepted, to be decided, to do again, to do. */
function ProjectProgress({ of }: { of: Project }) {
  const { task_count: total, completed_count: completed, accepted_count: accepted, rejected_count: rejected } = of;
  const parts = [
    { text: "accepted", count: accepted, fill: "bg-online" },
    { text: "to review", count: Math.max(0, completed - accepted - rejected), fill: "bg-info" },
    { text: "rejected", count: rejected, fill: "bg-warning" },
    { text: "to do", count: Math.max(0, total - completed), fill: "bg-border" },
  ].filter(({ count }) => count > 0);
  if (total === 0) return <span className="text-meta text-muted">no tasks</span>;
  return (
    <span className="flex flex-col gap-1">
      <span aria-hidden className="flex h-1.5 gap-px overflow-hidden rounded-full bg-border">
        {parts.map(({ text, count, fill }) => (
          <span key={text} className={fill} style={{ flexGrow: count }} />
        ))}
      </span>
      <span className="text-meta text-muted tabular-nums">
        {parts.map(({ text, count }) => `${number(count)} ${text}`).join(", ")}
      </span>
    </span>
  );
}

/** The projects that have the items of a dataset labelled; each leads to the items that it asks for. */
export function ProjectsTab({ dataset }: { dataset: Dataset }) {
  const trpc = useTRPC();
  const origin = useOrigin();
  const [shared, setShared] = useState<string | null>(null);
  const query = useInfiniteQuery(
    trpc.datasets.projects.infiniteQueryOptions({ dataset: dataset.uid, limit: 50 }, nextPage),
  );
  return (
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
          curl={{ command: createCommand(origin, dataset), guide: guideHref("data-loop") }}
        />
      }
    >
      {(project) => {
        const { label, tone, shape } = projectLooks[project.status];
        return (
          <>
            <span className="min-w-0">
              <Link
                href={itemsHref(dataset, `project = ${project.uid}`)}
                className="block truncate text-accent-text hover:underline"
                title={`Items of ${project.name}`}
              >
                {project.name}
              </Link>
              <span className="text-meta text-muted">
                {taskTypeLabels[project.task_type]}, {plural(project.task_count, "task")}, changed{" "}
                <RelativeTime value={project.updated_at} rich={false} />
                {project.access === "assigned" && ", only for assigned members"}
              </span>
            </span>
            <Status tone={tone} shape={shape}>
              {label}
            </Status>
            <ProjectProgress of={project} />
            <IconButton
              label={`Who sees ${project.name}`}
              size="sm"
              icon={<Users aria-hidden />}
              onClick={() => setShared(project.uid)}
              className="max-sm:absolute max-sm:top-2 max-sm:right-0"
            />
            {shared === project.uid && <ProjectAccess project={project} onClose={() => setShared(null)} />}
          </>
        );
      }}
    </PagedList>
  );
}
