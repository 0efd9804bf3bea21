import { z } from "zod";
import { choice, choices, longPage, text, uid } from "@/domain/fields";
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
export const queueTabs = {
  mine: { label: "Mine", states: open, assignee: "me" },
  unassigned: { label: "Unassigned", states: open, assignee: "none" },
  in_work: { label: "In work", states: ["in_work"] },
  rework: { label: "Rework", states: ["rework"] },
  submitted: { label: "Submitted", states: ["submitted"] },
  all: { label: "All" },
} as const satisfies Record<string, QueueTab>;
export type QueueTabName = keyof typeof queueTabs;

export const queueTabNames = ["mine", "unassigned", "in_work", "rework", "submitted", "all"] as const;

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

export const UnassignedFilters = z.object({ project: uid().optional() });
export type UnassignedFilters = z.output<typeof UnassignedFilters>;

/** The states that a tab and a filter of states hold both; null for all. */
export function listStates({ tab, state }: Pick<QueueFilters, "tab" | "state">): readonly TaskState[] | null {
  const { states }: QueueTab = queueTabs[tab];
  if (!states) return state ?? null;
  return state ? states.filter((each) => state.includes(each)) : states;
}

export const isOpen = (state: TaskState): boolean => open.some((each) => each === state);
