"use client";

import { parseAsString, parseAsStringLiteral, useQueryState } from "nuqs";
import { PageHeader } from "@/components/kit/page-header";
import { Tabs } from "@/components/kit/tabs";
import { DocsTextLink } from "@/components/product/docs-link";
import { guideHref } from "@/domain/docs/guides";
import { getQueueTab, queueTabNames, type QueueTabName } from "@/domain/tasks/queue-schema";
import { StartButton, TaskTable } from "./task-table";
import { useStart } from "./use-start";

/** What waits for the person, and every other task that they see. The tab is in the address as `list`. */
export function TaskList() {
  const [project] = useQueryState("project", parseAsString);
  const start = useStart(project);
  return (
    <>
      <PageHeader
        title="Tasks"
        meta={
          <>
            One item to label each, and where it stands.
            <DocsTextLink href={guideHref("annotation")}>How pictures are labelled</DocsTextLink>
          </>
        }
        actions={<StartButton start={start} />}
      />
      <TaskTabs start={start} otherwise="mine" layout="page" />
    </>
  );
}

/** The tasks of one project, as its page shows them; `whyNone` says why it has none. */
export function ProjectTasks({ project, whyNone }: { project: string; whyNone: string }) {
  const start = useStart(project);
  return <TaskTabs start={start} otherwise="all" layout="page" project={project} whyNone={whyNone} />;
}

function TaskTabs(props: {
  start: ReturnType<typeof useStart>;
  otherwise: QueueTabName;
  layout: "page" | "inline";
  project?: string;
  whyNone?: string;
}) {
  const { start, otherwise, layout, project, whyNone } = props;
  const [tab, setTab] = useQueryState(
    "list",
    parseAsStringLiteral(queueTabNames).withDefault(otherwise).withOptions({ history: "push" }),
  );
  return (
    <Tabs
      label="Tasks by what is to be done"
      layout={layout}
      className="min-h-0 flex-1"
      value={tab}
      onValueChange={(next) => void setTab(next)}
      tabs={queueTabNames.map((value) => ({
        value,
        label: getQueueTab(value).label,
        content:
          value === tab ? (
            <TaskTable
              tab={value}
              start={start}
              onLeaveTab={() => void setTab("all")}
              {...(project !== undefined && { project })}
              {...(whyNone !== undefined && { whyNone })}
            />
          ) : null,
      }))}
    />
  );
}
