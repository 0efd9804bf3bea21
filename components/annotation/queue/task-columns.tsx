import Image from "next/image";
import { itemMediaHref } from "@/components/items/item-media";
import { useMedia } from "@/components/items/use-media";
import { None } from "@/components/kit/none";
import type { ShapeName } from "@/components/kit/shape";
import { RelativeTime } from "@/components/kit/time";
import { Truncate, TruncateMiddle } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { Status, type Tone } from "@/components/product/status";
import type { TaskState } from "@/domain/tasks/transitions";
import { describeSkip, type QueuedTask } from "./query";

export const taskStateLooks: Readonly<Record<TaskState, { label: string; tone: Tone; shape: ShapeName }>> = {
  todo: { label: "To do", tone: "neutral", shape: "ring" },
  in_work: { label: "In work", tone: "maintenance", shape: "half" },
  rework: { label: "Rework", tone: "warning", shape: "triangle" },
  submitted: { label: "Submitted", tone: "info", shape: "disc" },
  accepted: { label: "Accepted", tone: "online", shape: "check" },
  skipped: { label: "Skipped", tone: "neutral", shape: "cross" },
};

function TaskState({ state }: { state: TaskState }) {
  const { label, tone, shape } = taskStateLooks[state];
  return (
    <Status tone={tone} shape={shape}>
      {label}
    </Status>
  );
}

/** The picture of an item at the height of a row, on its mean colour. */
function Thumbnail({ of: { item, tint, has_thumbnail: hasThumbnail } }: { of: QueuedTask }) {
  const media = useMedia(hasThumbnail ? itemMediaHref(item, "thumb") : null);
  return (
    <span
      aria-hidden
      className="relative h-6 w-8 shrink-0 overflow-hidden rounded-control bg-hover"
      style={tint === null ? undefined : { backgroundColor: tint }}
    >
      {media.state === "shown" && (
        <Image src={media.url} alt="" fill unoptimized loading="eager" className="object-cover" />
      )}
    </span>
  );
}

/** What is to be known before the task is opened: why it came back or was skipped, or who has it open. */
function describeLast(task: QueuedTask): string | null {
  const { state, decision, decided_by: by, reason, leased_by: holder } = task;
  if (state === "skipped") return describeSkip(task);
  if (state === "rework" && decision === "rejected")
    return `back from ${by ?? "somebody"}${reason ? `: ${reason}` : ""}`;
  if (holder !== null) return `open by ${holder}`;
  if (state === "accepted") return `by ${by ?? "somebody"}${reason ? `: ${reason}` : ""}`;
  return null;
}

function Note({ of }: { of: QueuedTask }) {
  const text = describeLast(of);
  if (text === null)
    return (
      <>
        <span className="max-sm:hidden">
          <None />
        </span>
        <Truncate text={of.project_name} className="sm:hidden" />
      </>
    );
  return <Truncate text={text} className={of.state === "rework" ? "max-sm:max-w-64" : "text-muted max-sm:max-w-64"} />;
}

const project: DataTableColumn<QueuedTask> = {
  id: "project",
  header: "Project",
  width: 180,
  roomy: true,
  cell: ({ project_name: name }) => <Truncate text={name} />,
};

const columns: readonly DataTableColumn<QueuedTask>[] = [
  {
    id: "item",
    header: "Item",
    minWidth: 230,
    required: true,
    narrow: "title",
    cell: (task) => (
      <span className="flex min-w-0 items-center gap-2.5">
        <Thumbnail of={task} />
        <span className="min-w-0">
          <TruncateMiddle text={task.name} />
        </span>
      </span>
    ),
  },
  {
    id: "state",
    header: "State",
    width: 120,
    narrow: "trailing",
    cell: ({ state }) => <TaskState state={state} />,
  },
  { id: "note", header: "Note", minWidth: 160, narrow: "meta", cell: (task) => <Note of={task} /> },
  project,
  {
    id: "batch",
    header: "Batch",
    width: 72,
    align: "right",
    roomy: true,
    cell: ({ batch }) => <span className="tabular-nums">{batch}</span>,
  },
  {
    id: "round",
    header: "Round",
    width: 72,
    align: "right",
    roomy: true,
    cell: ({ round }) => <span className={round === 1 ? "text-subtle tabular-nums" : "tabular-nums"}>{round}</span>,
  },
  {
    id: "priority",
    header: "Priority",
    width: 84,
    align: "right",
    hidden: true,
    cell: ({ priority }) => <span className="tabular-nums">{priority}</span>,
  },
  {
    id: "assignee",
    header: "Assignee",
    width: 130,
    cell: ({ assignee }) => (assignee === null ? <None /> : <Truncate text={assignee} />),
  },
  {
    id: "since",
    header: "Since",
    width: 96,
    align: "right",
    narrow: "meta",
    cell: ({ since }) => <RelativeTime value={since} rich={false} className="text-muted" />,
  },
];

/** The columns of the list of all tasks, and of the list of one project's. */
export const taskColumns = columns;
export const projectTaskColumns = columns.filter((column) => column !== project);
