"use client";

import { FileBox, FolderKanban, Play, SquareArrowOutUpRight, Undo2 } from "lucide-react";
import { parseAsString, useQueryState } from "nuqs";
import { itemHref } from "@/components/items/item-links";
import { Button } from "@/components/kit/button";
import type { MenuItem } from "@/components/kit/menu";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC } from "@/components/trpc/client";
import type { QueueTabName } from "@/domain/tasks/queue-schema";
import { listInput, taskHref, type QueuedTask } from "./query";
import { QueueEmpty } from "./queue-empty";
import { projectTaskColumns, taskColumns } from "./task-columns";
import type { useStart } from "./use-start";
import { TaskBulk, useTaskActions } from "./use-task-actions";
import { useTaskDefinitions } from "./use-task-definitions";

interface TaskTableProps {
  tab: QueueTabName;
  onLeaveTab: () => void;
  /** Only the tasks of this project; without it the address may name one. */
  project?: string;
  /** Why it has no tasks. */
  whyNone?: string;
  start: ReturnType<typeof useStart>;
}

/** What can be done with one task. */
const toMenu = (task: QueuedTask, isFixed: boolean, actions: ReturnType<typeof useTaskActions>): MenuItem[] => [
  { label: "Open", icon: <SquareArrowOutUpRight aria-hidden />, href: taskHref(task.uid) },
  {
    label: "Item",
    icon: <FileBox aria-hidden />,
    href: itemHref({ owner: task.dataset_owner, slug: task.dataset_slug }, task.item),
  },
  ...(task.state === "skipped"
    ? [
        {
          label: "Unskip",
          icon: <Undo2 aria-hidden />,
          disabledReason: actions.adminReason,
          onSelect: () => void actions.unskip([task]),
        },
      ]
    : []),
  ...(isFixed ? [] : [{ label: "Project", icon: <FolderKanban aria-hidden />, href: `/projects/${task.project}` }]),
];

/** The tasks of a tab, by the filters of the address. */
export function TaskTable({ tab, onLeaveTab, project: fixed, whyNone, start }: TaskTableProps) {
  const trpc = useTRPC();
  const [named] = useQueryState("project", parseAsString);
  const project = fixed ?? named;
  const isFixed = fixed !== undefined;
  const definitions = useTaskDefinitions(tab, project, isFixed);
  const toInput = (values: Parameters<typeof listInput>[0]) =>
    listInput({ ...values, ...(isFixed && { project: fixed }), list: tab });
  const list = useListPage({
    definitions,
    textKey: "q",
    query: (values) => trpc.tasks.queue.infiniteQueryOptions(toInput(values), nextPage),
    probe: (values) => trpc.tasks.queue.queryOptions({ ...toInput(values), limit: 1 }),
  });
  const actions = useTaskActions();
  const onlyProject = !isFixed && list.filters.count === 1 && project !== null;
  return (
    <ListTable
      {...list.table}
      onSelect={undefined}
      // A project alone does not explain an empty list; what it is doing does.
      list={onlyProject ? { ...list, filters: { ...list.filters, count: 0 } } : list}
      id={isFixed ? "project-tasks" : "tasks"}
      label="Tasks"
      noun={["task", "tasks"]}
      columns={isFixed ? projectTaskColumns : taskColumns}
      rowLabel={(task) => task.name}
      href={(task) => taskHref(task.uid)}
      onEnter={{ label: "Start labelling", run: start.start }}
      rowMenu={(task) => toMenu(task, isFixed, actions)}
      bulkActions={(uids, clear) =>
        tab === "skipped" ? (
          <Button
            icon={<Undo2 aria-hidden />}
            disabledReason={actions.adminReason}
            onClick={() => {
              void actions.unskip(list.findRows(uids));
              clear();
            }}
          >
            Unskip
          </Button>
        ) : (
          <TaskBulk uids={uids} clear={clear} />
        )
      }
      filterBar={{ label: "Filter tasks", placeholder: "Filter by item" }}
      tools={isFixed ? <StartButton start={start} variant="secondary" /> : <SavedViews screen="tasks" />}
      empty={<QueueEmpty whyNone={whyNone} tab={tab} project={project} onLeaveTab={onLeaveTab} />}
    />
  );
}

/** Gets the next task; its key is Enter. */
export function StartButton(props: { start: ReturnType<typeof useStart>; variant?: "primary" | "secondary" }) {
  const { start, starting, reason } = props.start;
  return (
    <Button
      variant={props.variant ?? "primary"}
      icon={<Play aria-hidden />}
      busy={starting}
      disabledReason={reason}
      onClick={start}
    >
      Start labelling
    </Button>
  );
}
