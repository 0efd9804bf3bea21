"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { useClock } from "@/components/kit/clock";
import { formatNumber, plural } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { PageBody, Section } from "@/components/kit/page-header";
import { Shape } from "@/components/kit/shape";
import { RelativeTime } from "@/components/kit/time";
import { projectLooks } from "./labels";
import { Acceptance } from "./project-columns";
import { countToReview, ProjectProgress } from "./project-progress";
import { ProjectStats } from "./project-stats";
import { datasetHref, projectHref, type ProjectDetail } from "./query";
import { explainNoTasks } from "./why-no-tasks";

const number = (value: number): string => formatNumber(value, 0);

/** How far a project is, of what, and who led it here. */
export function ProjectOverview({ project }: { project: ProjectDetail }) {
  const { task_count: total, completed_count: completed } = project;
  const today = useClock((now) => new Date(now).toISOString().slice(0, 10));
  return (
    <PageBody>
      {project.short_description !== "" && (
        <p className="max-w-172 text-body text-muted">{project.short_description}</p>
      )}
      <div className="grid gap-x-12 gap-y-8 lg:grid-cols-2">
        <Section title="Progress">
          {total === 0 ? (
            <p className="text-table text-muted">{explainNoTasks(project)}</p>
          ) : (
            <div className="flex flex-col gap-4">
              <ProjectProgress of={project} />
              <KeyValue
                items={[
                  [
                    "Tasks",
                    <Link
                      key="tasks"
                      href={`${projectHref(project.uid)}?tab=tasks`}
                      className="text-accent-text tabular-nums hover:underline"
                    >
                      {number(total)}
                    </Link>,
                  ],
                  ["Done", number(completed)],
                  ["To review", number(countToReview(project))],
                  ...(project.skipped_count === 0
                    ? []
                    : [
                        [
                          "Skipped",
                          <Link
                            key="skipped"
                            href={`${projectHref(project.uid)}?tab=tasks&list=skipped`}
                            className="text-accent-text tabular-nums hover:underline"
                          >
                            {number(project.skipped_count)}
                          </Link>,
                        ] satisfies [string, ReactNode],
                      ]),
                  ["Accepted", <Acceptance key="accepted" of={project} />],
                ]}
              />
            </div>
          )}
        </Section>
        <Section title="Status">
          <Steps project={project} />
        </Section>
      </div>
      <ProjectStats project={project} today={today} />
      <Section title="Datasets">
        <ul aria-label="Datasets" className="flex flex-col text-table">
          {project.datasets.map((dataset) => (
            <li key={dataset.uid} className="flex min-w-0 items-baseline gap-3 border-t border-border py-1.5">
              <Link
                href={datasetHref(dataset)}
                className="min-w-0 flex-1 truncate text-accent-text hover:underline"
                title={dataset.name}
              >
                {dataset.name}
              </Link>
              <span className="shrink-0 text-muted tabular-nums">{plural(dataset.item_count, "item")}</span>
              <Link
                href={datasetHref(dataset, `project = ${project.uid}`)}
                aria-label={`Items of ${dataset.name} that the project asks for`}
                className="shrink-0 text-accent-text hover:underline"
              >
                Items
              </Link>
            </li>
          ))}
        </ul>
      </Section>
      {project.slices.length > 0 && (
        <Section title="Slices" description="Items that come into them later get their tasks, too.">
          <ul aria-label="Slices" className="flex flex-col text-table">
            {project.slices.map(({ uid, name, dataset_name: dataset, item_count: items }) => (
              <li key={uid} className="flex min-w-0 items-baseline gap-3 border-t border-border py-1.5">
                <Link
                  href={`/slices/${uid}`}
                  className="min-w-0 flex-1 truncate text-accent-text hover:underline"
                  title={name}
                >
                  {name}
                </Link>
                <span className="min-w-0 truncate text-muted">{dataset}</span>
                <span className="shrink-0 text-muted tabular-nums">{plural(items, "item")}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </PageBody>
  );
}

/** The statuses that a project came through, newest first, with who led it there and when. */
function Steps({ project: { steps, created_at: at, created_by: by } }: { project: ProjectDetail }) {
  const all = [
    ...steps.map((step) => ({
      ...step,
      text: projectLooks[step.status].label,
      shape: projectLooks[step.status].shape,
    })),
    { at, by: by ?? "", text: "Created", shape: "ring" as const },
  ];
  return (
    <ol aria-label="Changes of status" className="flex flex-col gap-2 text-table">
      {all.map((step, place) => (
        <li key={`${step.text} ${step.at}`} className="flex items-baseline gap-2">
          <Shape name={step.shape} className={place === 0 ? "text-accent" : "text-subtle"} />
          <span className={place === 0 ? "font-medium" : undefined}>{step.text}</span>
          <span className="min-w-0 truncate text-muted">
            {step.by !== "" && `by ${step.by}, `}
            <RelativeTime value={step.at} />
          </span>
        </li>
      ))}
    </ol>
  );
}
