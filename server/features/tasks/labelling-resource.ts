import { z } from "zod";
import { DraftShape } from "@/domain/annotations/draft-schema";
import { projectStatuses, taskTypes } from "@/domain/projects/schema";
import { ItemResource } from "@/server/features/datasets/resource";
import { ProjectResource } from "@/server/features/projects/resource";
import { ResultResource, TaskResource } from "@/server/features/tasks/resource";

export const LeaseResource = z.object({
  token: z.string(),
  /** It ends then unless it is renewed. */
  until: z.string(),
});
export type LeaseResource = z.output<typeof LeaseResource>;

export const RenewedLease = z.object({ until: z.string() });
export type RenewedLease = z.output<typeof RenewedLease>;

export const OpenedTask = TaskResource.extend({
  /** Additive; null unless it was asked for. */
  lease: LeaseResource.nullable(),
});
export type OpenedTask = z.output<typeof OpenedTask>;

export const DraftResource = z.object({
  /** 0 while there is none. */
  version: z.int(),
  /** Who changed it last. */
  by: z.string().nullable(),
  /** From the lowest to the topmost. */
  shapes: z.array(DraftShape),
  updated_at: z.string().nullable(),
});
export type DraftResource = z.output<typeof DraftResource>;

export const SavedDraft = z.object({
  version: z.int(),
  /** The number of the client's last change that the draft has. */
  n: z.int(),
});
export type SavedDraft = z.output<typeof SavedDraft>;

/** What a labeller needs of a task, in one answer. */
export const TaskForEditor = z.object({
  task: TaskResource,
  item: ItemResource,
  project: z.object({
    uid: z.string(),
    name: z.string(),
    task_type: z.enum(taskTypes),
    status: z.enum(projectStatuses),
    labels: ProjectResource.shape.labels,
    /** Markdown. */
    guide: z.string(),
  }),
  /** What is drawn and not submitted, by whomever; null where nothing is. */
  draft: DraftResource.nullable(),
  /** The last three results of the task, newest first. */
  earlier: z.array(ResultResource),
  /** Null unless the task was given to the caller. */
  lease: LeaseResource.nullable(),
  /** The number of its batch, and which of the batch's tasks it is. */
  place: z.object({ batch: z.int(), at: z.int(), of: z.int() }),
  /** Additive: the task of its project that the caller probably gets next, which nobody has taken; null without one. */
  next_hint: z.string().nullable(),
});
export type TaskForEditor = z.output<typeof TaskForEditor>;

export const SubmittedAndNext = z.object({
  result: ResultResource,
  /** Null without one, and unless it was asked for. */
  next: TaskForEditor.nullable(),
});
export type SubmittedAndNext = z.output<typeof SubmittedAndNext>;

export const SkippedAndNext = z.object({
  task: TaskResource,
  /** Null without one, and unless it was asked for. */
  next: TaskForEditor.nullable(),
});
export type SkippedAndNext = z.output<typeof SkippedAndNext>;

/** What became of many tasks. */
export const ChangedTasks = z.object({
  changed: z.int(),
  failed: z.array(z.object({ uid: z.string(), error: z.string() })),
});
export type ChangedTasks = z.output<typeof ChangedTasks>;

/** What offering predictions leads to. */
export const PreLabelled = z.object({
  changed: z
    .int()
    .describe("How many tasks it concerns at most: those whose items have predictions and that nobody has begun."),
});
export type PreLabelled = z.output<typeof PreLabelled>;
