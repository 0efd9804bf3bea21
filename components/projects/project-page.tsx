"use client";

import { useQuery } from "@tanstack/react-query";
import { BrainCircuit, Ellipsis, FileInput, ListChecks } from "lucide-react";
import { Suspense, useState } from "react";
import { ProjectTasks } from "@/components/annotation/queue/task-list";
import { StartButton } from "@/components/annotation/queue/task-table";
import { useStart } from "@/components/annotation/queue/use-start";
import { Badge } from "@/components/kit/badge";
import { Button, ButtonLink } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { formatNumber, plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { Menu } from "@/components/kit/menu";
import { PageHeader, usePageTitle } from "@/components/kit/page-header";
import { Tabs, useTab } from "@/components/kit/tabs";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC } from "@/components/trpc/client";
import { stepsFrom } from "@/domain/projects/lifecycle";
import { ProjectGuide } from "./guide/project-guide";
import { stepLooks, taskTypeLabels } from "./labels";
import { ProjectBatches } from "./project-batches";
import { ProjectStatusMark } from "./project-columns";
import { ProjectLabels } from "./project-labels";
import { ProjectOverview } from "./project-overview";
import { ProjectPeople } from "./project-people";
import { countToReview } from "./project-progress";
import { ProjectSettings } from "./project-settings";
import { projectList, reviewHref } from "./query";
import { useProjectActions } from "./use-project-actions";
import { explainNoImport, explainNoTasks } from "./why-no-tasks";

const PreLabelDialog = lazyDialog(
  async () => (await import("@/components/pre-labels/pre-label-dialog")).PreLabelDialog,
);

const ImportDialog = lazyDialog(
  async () => (await import("@/components/annotation-imports/import-dialog")).ImportDialog,
);

const tabs = ["overview", "tasks", "batches", "people", "labels", "guide", "settings"] as const;

/** Everything about one project, in tabs; the button is its next step. */
export function ProjectPage({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const [tab, setTab] = useTab(tabs);
  const query = useQuery(trpc.projects.overviewOf.queryOptions({ uid }));
  const actions = useProjectActions();
  const start = useStart(uid);
  const [isPreLabelling, setPreLabelling] = useState(false);
  const [isImporting, setImporting] = useState(false);
  const project = query.data;
  usePageTitle(project?.name);
  if (isUnavailable(query)) {
    return (
      <PageFailure
        title={project?.name}
        noun="project"
        deletedMessage="This project was removed, or it is no longer yours to see."
        list={projectList}
        query={query}
      />
    );
  }
  if (!project) return null;
  const [next] = stepsFrom(project.status);
  const look = next && stepLooks[next];
  const preLabelRefusal =
    actions.reason ??
    (project.task_type === "image-annotation" ? undefined : "Only tasks on pictures are labelled here.");
  const hasWork =
    project.status === "active" &&
    project.task_type === "image-annotation" &&
    project.completed_count < project.task_count;
  return (
    <>
      <PageHeader
        title={project.name}
        trail={[projectList]}
        status={<ProjectStatusMark of={project} />}
        meta={
          <>
            {project.demo && <Badge>Demo</Badge>}
            <span>{taskTypeLabels[project.task_type]}</span>
            <span>{plural(project.task_count, "task")}</span>
            {project.created_by !== null && <span>by {project.created_by}</span>}
            <UidChip uid={project.uid} />
          </>
        }
        actions={
          <>
            <CopyLink compact />
            {project.completed_count > 0 && (
              <ButtonLink href={reviewHref(project.uid)} icon={<ListChecks aria-hidden />}>
                Review
                {countToReview(project) > 0 && (
                  <span className="text-meta text-subtle tabular-nums">{formatNumber(countToReview(project), 0)}</span>
                )}
              </ButtonLink>
            )}
            {look && (
              <Button
                variant={hasWork ? "secondary" : "primary"}
                icon={<look.icon aria-hidden />}
                disabledReason={actions.reason}
                onClick={() => actions.take(project, next)}
              >
                {look.label}
              </Button>
            )}
            {hasWork && (
              <Button
                icon={<BrainCircuit aria-hidden />}
                className="max-lg:hidden"
                disabledReason={preLabelRefusal}
                onClick={() => setPreLabelling(true)}
              >
                Pre-label
              </Button>
            )}
            {/* Its tab of tasks has this button itself. */}
            {hasWork && tab !== "tasks" && <StartButton start={start} />}
            <Menu
              items={[
                ...actions.menu(project, { but: next }),
                "separator",
                {
                  label: "Pre-label",
                  icon: <BrainCircuit aria-hidden />,
                  disabledReason: preLabelRefusal,
                  onSelect: () => setPreLabelling(true),
                },
                {
                  label: "Import annotations",
                  icon: <FileInput aria-hidden />,
                  disabledReason: actions.reason ?? explainNoImport(project.status),
                  onSelect: () => setImporting(true),
                },
              ]}
              trigger={
                <IconButton label={`Actions for ${project.name}`} variant="secondary" icon={<Ellipsis aria-hidden />} />
              }
            />
          </>
        }
      />
      <Tabs
        label="About this project"
        layout="page"
        className="flex-1"
        value={tab}
        onValueChange={(value) => void setTab(value)}
        tabs={[
          { value: "overview", label: "Overview", content: <ProjectOverview project={project} /> },
          {
            value: "tasks",
            label: "Tasks",
            content: tab === "tasks" ? <ProjectTasks project={project.uid} whyNone={explainNoTasks(project)} /> : null,
          },
          { value: "batches", label: "Batches", content: <ProjectBatches project={project} /> },
          { value: "people", label: "People", content: <ProjectPeople project={project} /> },
          { value: "labels", label: "Labels", content: <ProjectLabels project={project} /> },
          { value: "guide", label: "Guide", content: <ProjectGuide project={project} /> },
          { value: "settings", label: "Settings", content: <ProjectSettings project={project} /> },
        ]}
      />
      <Suspense>
        {isPreLabelling && <PreLabelDialog project={project} onClose={() => setPreLabelling(false)} />}
        {isImporting && <ImportDialog project={project} onClose={() => setImporting(false)} />}
      </Suspense>
      {actions.dialogs}
    </>
  );
}
