import { taskHref } from "@/components/annotation/queue/query";
import type { Outputs } from "@/components/trpc/client";
import type { DraftShapes } from "@/domain/annotations/draft-shape";

/** A task as its editor is given it. */
export type TaskForEditor = Outputs["tasks"]["editor"];

/** The tasks of a project. */
export const queueHref = (project: string): string => `/tasks?${new URLSearchParams({ project }).toString()}`;

/** A task to look at, without beginning to work on it. */
export const lookHref = (uid: string): string => `${taskHref(uid)}?look=1`;

const workedOn: ReadonlySet<TaskForEditor["task"]["state"]> = new Set(["todo", "in_work", "rework"]);

/** Whether a task waits for work, or is in work. */
export const isOpen = ({ task }: TaskForEditor): boolean => workedOn.has(task.state);

/** How often the work was sent back, as far as its last results tell. */
export const countRejected = ({ earlier }: TaskForEditor): number =>
  earlier.filter(({ status }) => status === "rejected").length;

/** The draft of a task as the server has it. */
export const toServerDraft = ({ draft }: TaskForEditor): { shapes: DraftShapes; version: number } => ({
  shapes: new Map(draft?.shapes.map((shape) => [shape.id, shape])),
  version: draft?.version ?? 0,
});
