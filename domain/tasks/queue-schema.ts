import { z } from "zod";
import { choice, choices, distinct, list, longPage, text, uid } from "@/domain/fields";
import { moment } from "@/domain/recordings/schema";
import { taskStates, type TaskState } from "@/domain/tasks/transitions";

interface QueueTab {
  label: string;
  /** The states of its tasks; all without it. */
  states?: readonly TaskState[];
  /** Only the tasks of the caller, or only those of nobody. */
  assignee?: "me" | "none";
}

const open = ["todo", "in_work", "rework"] as const satisfies readonly TaskState[];

/** The tabs of the list of tasks. */
const queueTabs = {
  mine: { label: "Mine", states: open, assignee: "me" },
  unassigned: { label: "Unassigned", states: open, assignee: "none" },
  in_work: { label: "In work", states: ["in_work"] },
  rework: { label: "Rework", states: ["rework"] },
  submitted: { label: "Submitted", states: ["submitted"] },
  skipped: { label: "Skipped", states: ["skipped"] },
  all: { label: "All" },
} as const satisfies Record<string, QueueTab>;
export type QueueTabName = keyof typeof queueTabs;

export const getQueueTab = (name: QueueTabName): QueueTab => queueTabs[name];

export const queueTabNames = ["mine", "unassigned", "in_work", "rework", "submitted", "skipped", "all"] as const;

/** What lies beside a task. */
export const TaskNeighbours = z.object({
  uid: uid(),
  /** Also the frames that the recording of its item has around a moment, by default that of the item. */
  frames: z.boolean().default(false),
  around: moment().optional(),
});
export type TaskNeighbours = z.output<typeof TaskNeighbours>;

/** What a tab and the filters of its address hold together. */
export const QueueFilters = z.object({
  tab: choice(queueTabNames).default("all"),
  project: text().optional(),
  state: choices(taskStates).optional(),
  /** `me`, `none`, or the uid of a member. */
  assignee: text(64).optional(),
  batch: text().optional(),
  /** Part of the item's name, case-insensitive. */
  q: text(255).optional(),
  ...longPage(),
});
export type QueueFilters = z.output<typeof QueueFilters>;

/** As many uids as one request may name, and as many tasks as a filter may hold. */
const maxNamed = 1_000;
export const maxSelected = 10_000;
/** A member takes so many tasks at once. */
export const maxTaken = 20;

const selection = {
  uids: list(uid(), maxNamed)
    .meta({ description: "These tasks, or those of the filter.", examples: [["018f0000-0000-7000-8000-000000000001"]] })
    .optional(),
  filter: QueueFilters.pick({ tab: true, project: true, state: true, assignee: true, batch: true, q: true })
    .describe("In place of uids.")
    .optional(),
  expected: z.int().min(0).describe("How many the filter holds, as the caller knows.").optional(),
};

/** Tasks by their uids or by a filter, and what is to become of all of them. */
export const AssignTasks = z.object({
  ...selection,
  assignee: text(255).nullable().describe("The uid or username of a member; null for nobody."),
});
export const PrioritiseTasks = z.object({
  ...selection,
  priority: z.int().min(-100).max(100).describe("The highest is given out first."),
});
export const ReleaseTasks = z.object(selection);
export const UnskipTasks = z.object(selection);
export type AssignTasks = z.output<typeof AssignTasks>;
export type PrioritiseTasks = z.output<typeof PrioritiseTasks>;
export type ReleaseTasks = z.output<typeof ReleaseTasks>;
export type UnskipTasks = z.output<typeof UnskipTasks>;

export const UnassignedFilters = z.object({ project: uid().optional() });
export type UnassignedFilters = z.output<typeof UnassignedFilters>;

/** Tasks of the pictures that a project has of alerts, or of all hits of a rule. */
export const MomentTaskFilters = z.object({
  project: uid(),
  alerts: distinct(uid("alert"), maxNamed).optional(),
  rule_id: uid("rule").optional(),
});
export type MomentTaskFilters = z.output<typeof MomentTaskFilters>;

/** The states that a tab and a filter of states hold both; null for all. */
export function listStates({ tab, state }: Pick<QueueFilters, "tab" | "state">): readonly TaskState[] | null {
  const { states } = getQueueTab(tab);
  if (!states) return state ?? null;
  return state ? states.filter((each) => state.includes(each)) : states;
}

export const isOpen = (state: TaskState): boolean => open.some((each) => each === state);
