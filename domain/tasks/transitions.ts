import type { ItemStatus } from "@/domain/datasets/item-status";
import type { ProjectStatus } from "@/domain/projects/schema";
import type { taskStatuses } from "@/domain/tasks/schema";

/** Where a task is on its way, finer than its status. */
export const taskStates = ["todo", "in_work", "rework", "submitted", "accepted", "skipped"] as const;
export type TaskState = (typeof taskStates)[number];

type TaskStatus = (typeof taskStatuses)[number];

/** The status that each state has on the wire. */
export const statusOfState: Readonly<Record<TaskState, TaskStatus>> = {
  todo: "pending",
  in_work: "in_progress",
  rework: "in_progress",
  submitted: "completed",
  accepted: "completed",
  skipped: "completed",
};

export type TaskVerb =
  | "open"
  | "renew"
  | "release"
  | "submit"
  | "accept"
  | "reject"
  | "revise"
  | "reopen"
  | "skip"
  | "unskip";

interface Transition {
  verb: TaskVerb;
  from: TaskState;
  /**
   * `worker`: its assignee, or anybody if it has none; `holder`: who has its lease; `reviewer`: who may decide, but not
   * what they submitted; `admin`: an admin.
   */
  by: "worker" | "holder" | "reviewer" | "admin";
  to: TaskState;
  /** The statuses of the project in which it is allowed; all without it. */
  projects?: readonly ProjectStatus[];
  /** What changes besides the task, by how much. */
  batch?: { started?: 1 | -1; completed?: 1 | -1 };
  project?: { completed?: 1 | -1; accepted?: 1 | -1; rejected?: 1; superseded?: 1; skipped?: 1 | -1 };
  /** The status that the item gets if it has one of those before. */
  item?: { to: ItemStatus; from: readonly ItemStatus[] };
}

const active = ["active"] as const;
const activeOrPaused = ["active", "paused"] as const;
const completed = {
  to: "completed",
  from: ["unattempted", "ready_for_annotation", "in_progress", "rework_required"],
} as const;

const ready = { to: "ready_for_annotation", from: ["in_progress", "rework_required"] } as const;

/** Everything that may happen to a task, one row for each state that it starts from. */
export const transitions: readonly Transition[] = [
  {
    verb: "open",
    from: "todo",
    by: "worker",
    to: "in_work",
    projects: active,
    batch: { started: 1 },
    item: { to: "in_progress", from: ["unattempted", "ready_for_annotation"] },
  },
  { verb: "open", from: "in_work", by: "worker", to: "in_work" },
  { verb: "open", from: "rework", by: "worker", to: "rework" },
  // Its holder goes on after the lease was over and the task waited again; no new one begins while a project is paused.
  {
    verb: "renew",
    from: "todo",
    by: "holder",
    to: "in_work",
    projects: activeOrPaused,
    batch: { started: 1 },
    item: { to: "in_progress", from: ["unattempted", "ready_for_annotation"] },
  },
  { verb: "renew", from: "in_work", by: "holder", to: "in_work" },
  { verb: "renew", from: "rework", by: "holder", to: "rework" },
  {
    verb: "release",
    from: "in_work",
    by: "holder",
    to: "todo",
    batch: { started: -1 },
    item: { to: "ready_for_annotation", from: ["in_progress"] },
  },
  { verb: "release", from: "rework", by: "holder", to: "rework" },
  {
    verb: "submit",
    from: "todo",
    by: "worker",
    to: "submitted",
    projects: activeOrPaused,
    batch: { started: 1, completed: 1 },
    project: { completed: 1 },
    item: completed,
  },
  {
    verb: "submit",
    from: "in_work",
    by: "worker",
    to: "submitted",
    projects: activeOrPaused,
    batch: { completed: 1 },
    project: { completed: 1 },
    item: completed,
  },
  {
    verb: "submit",
    from: "rework",
    by: "worker",
    to: "submitted",
    projects: activeOrPaused,
    batch: { completed: 1 },
    project: { completed: 1 },
    item: completed,
  },
  {
    verb: "accept",
    from: "submitted",
    by: "reviewer",
    to: "accepted",
    project: { accepted: 1 },
    item: { to: "customer_approved", from: ["completed", "in_progress", "rework_required"] },
  },
  {
    verb: "reject",
    from: "submitted",
    by: "reviewer",
    to: "rework",
    batch: { completed: -1 },
    project: { completed: -1, rejected: 1 },
    item: { to: "rework_required", from: ["completed", "in_progress", "customer_approved"] },
  },
  {
    verb: "revise",
    from: "submitted",
    by: "reviewer",
    to: "accepted",
    project: { accepted: 1, superseded: 1 },
    item: { to: "customer_approved", from: ["completed", "in_progress", "rework_required"] },
  },
  {
    verb: "reopen",
    from: "accepted",
    by: "admin",
    to: "submitted",
    projects: ["active", "paused", "completed", "canceled"],
    project: { accepted: -1 },
    item: { to: "completed", from: ["customer_approved"] },
  },
  {
    verb: "skip",
    from: "todo",
    by: "worker",
    to: "skipped",
    projects: activeOrPaused,
    batch: { started: 1, completed: 1 },
    project: { completed: 1, skipped: 1 },
  },
  {
    verb: "skip",
    from: "in_work",
    by: "worker",
    to: "skipped",
    projects: activeOrPaused,
    batch: { completed: 1 },
    project: { completed: 1, skipped: 1 },
    item: ready,
  },
  {
    verb: "skip",
    from: "rework",
    by: "worker",
    to: "skipped",
    projects: activeOrPaused,
    batch: { completed: 1 },
    project: { completed: 1, skipped: 1 },
    item: ready,
  },
  {
    verb: "unskip",
    from: "skipped",
    by: "admin",
    to: "todo",
    projects: ["active", "paused", "completed"],
    batch: { started: -1, completed: -1 },
    project: { completed: -1, skipped: -1 },
  },
];

/** The transition of a verb from a state; undefined where there is none. */
export const findTransition = (verb: TaskVerb, from: TaskState): Transition | undefined =>
  transitions.find((each) => each.verb === verb && each.from === from);
