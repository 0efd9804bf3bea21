import { z } from "zod";
import { taskTypes } from "@/domain/projects/schema";
import { resultStatuses, StoredAnnotation, taskStatuses } from "@/domain/tasks/schema";
import { skipReasons } from "@/domain/tasks/skip-schema";
import { taskStates } from "@/domain/tasks/transitions";

export const TaskResource = z.object({
  uid: z.string(),
  type: z.enum(taskTypes),
  name: z.string(),
  status: z.enum(taskStatuses),
  project: z.string(),
  dataset_item: z.string(),
  /** Username of the assignee. */
  assignee: z.string().nullable(),
  work_batch: z.string(),
  /** Additive: where it is on its way, finer than `status`. */
  state: z.enum(taskStates),
  /** Why nobody labels it; null unless it was skipped. */
  skip_reason: z.enum(skipReasons).nullable(),
  skip_text: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type TaskResource = z.output<typeof TaskResource>;

export const ResultResource = z.object({
  uid: z.string(),
  task: z.string(),
  project: z.string(),
  dataset_item: z.string(),
  status: z.enum(resultStatuses),
  annotations: z.array(StoredAnnotation),
  /** Why it was accepted or rejected. */
  reason: z.string(),
  submitted_by: z.string(),
  /** Additive: the result that it corrects, and the one that corrects it. */
  revises: z.string().nullable(),
  superseded_by: z.string().nullable(),
  decided_by: z.string().nullable(),
  decided_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type ResultResource = z.output<typeof ResultResource>;

/** What became of many results. */
export const DecidedResults = z.object({
  done: z.int(),
  failed: z.array(z.object({ uid: z.string(), error: z.string() })),
});
export type DecidedResults = z.output<typeof DecidedResults>;

export const WorkBatchResource = z.object({
  uid: z.string(),
  project: z.string(),
  name: z.string(),
  status: z.enum(taskStatuses),
  task_count: z.int(),
  started_count: z.int(),
  completed_count: z.int(),
  /** 0 to 1. */
  progress: z.number(),
  /** Additive; null without one. */
  due: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type WorkBatchResource = z.output<typeof WorkBatchResource>;
