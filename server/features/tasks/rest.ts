import { OpenTask } from "@/domain/tasks/labelling-schema";
import {
  ResultFilters,
  SubmitResult,
  TaskFilters,
  TaskUid,
  UpdateTask,
  UpdateWorkBatch,
  WorkBatchFilters,
} from "@/domain/tasks/schema";
import { getWorkBatch, listWorkBatches, updateWorkBatch } from "@/server/features/tasks/batch-service";
import { OpenedTask } from "@/server/features/tasks/labelling-resource";
import { openTask } from "@/server/features/tasks/open-service";
import { ResultResource, TaskResource, WorkBatchResource } from "@/server/features/tasks/resource";
import { getResult, listResults } from "@/server/features/tasks/result-service";
import { getTask, listTasks, requireWorkableTask, updateTask } from "@/server/features/tasks/service";
import { submitResult } from "@/server/features/tasks/submit-service";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

const canWork: ExistsCheck<typeof TaskUid> = (ctx, params) => requireWorkableTask(ctx, params.uid);

export const list = endpoint({
  method: "GET",
  path: "/tasks/",
  id: "tasks.list",
  summary: "List tasks",
  permission: ["projects.read", "tasks.read"],
  role: "member",
  query: TaskFilters,
  response: toPageSchema(TaskResource),
  handler: ({ ctx, query }) => listTasks(ctx, query),
});

export const get = endpoint({
  method: "GET",
  path: "/tasks/{uid}/",
  id: "tasks.get",
  summary: "Get a task",
  permission: ["projects.read", "tasks.read"],
  role: "member",
  params: TaskUid,
  response: TaskResource,
  handler: ({ ctx, params }) => getTask(ctx, params.uid),
});

export const update = endpoint({
  method: "PATCH",
  path: "/tasks/{uid}/",
  id: "tasks.update",
  summary: "Assign a task",
  description: "Members assign only themselves, and only tasks that nobody else has.",
  permission: ["projects.write"],
  role: "member",
  params: TaskUid,
  body: UpdateTask,
  response: TaskResource,
  exists: canWork,
  handler: ({ ctx, params, body }) => updateTask(ctx, params.uid, body),
});

export const open = endpoint({
  method: "POST",
  path: "/tasks/{uid}/open/",
  id: "tasks.open",
  summary: "Open a task",
  permission: ["projects.write"],
  role: "member",
  params: TaskUid,
  body: OpenTask,
  response: OpenedTask,
  exists: canWork,
  handler: ({ ctx, params, body }) => openTask(ctx, params.uid, body),
});

export const results = endpoint({
  method: "GET",
  path: "/tasks/{uid}/results/",
  id: "results.list",
  summary: "List the results of a task",
  permission: ["projects.read", "tasks.read"],
  role: "member",
  params: TaskUid,
  query: ResultFilters,
  response: toPageSchema(ResultResource),
  handler: ({ ctx, params, query }) => listResults(ctx, params.uid, query),
});

export const submit = endpoint({
  method: "POST",
  path: "/tasks/{uid}/results/",
  id: "results.submit",
  summary: "Submit a result",
  description: "Completes the task. Labels must be the project's, where it names any.",
  permission: ["projects.write"],
  role: "member",
  params: TaskUid,
  body: SubmitResult,
  maxBodyBytes: 8 * 1024 * 1024,
  response: ResultResource,
  status: 201,
  exists: canWork,
  handler: ({ ctx, params, body }) => submitResult(ctx, params.uid, body),
});

export const result = endpoint({
  method: "GET",
  path: "/results/{uid}/",
  id: "results.get",
  summary: "Get a result",
  permission: ["projects.read", "tasks.read"],
  role: "member",
  params: TaskUid,
  response: ResultResource,
  handler: ({ ctx, params }) => getResult(ctx, params.uid),
});

export const workBatches = endpoint({
  method: "GET",
  path: "/work-batches/",
  id: "work-batches.list",
  summary: "List work batches",
  permission: ["work_batches.read"],
  role: "member",
  query: WorkBatchFilters,
  response: toPageSchema(WorkBatchResource),
  handler: ({ ctx, query }) => listWorkBatches(ctx, query),
});

export const workBatch = endpoint({
  method: "GET",
  path: "/work-batches/{uid}/",
  id: "work-batches.get",
  summary: "Get a work batch",
  permission: ["work_batches.read"],
  role: "member",
  params: TaskUid,
  response: WorkBatchResource,
  handler: ({ ctx, params }) => getWorkBatch(ctx, params.uid),
});

export const updateBatch = endpoint({
  method: "PATCH",
  path: "/work-batches/{uid}/",
  id: "work-batches.update",
  summary: "Assign a work batch",
  description: "Sets when it is due, and who gets its tasks that nobody has begun.",
  permission: ["projects.write"],
  role: "admin",
  params: TaskUid,
  body: UpdateWorkBatch,
  response: WorkBatchResource,
  exists: (ctx, params) => getWorkBatch(ctx, params.uid),
  handler: ({ ctx, params, body }) => updateWorkBatch(ctx, params.uid, body),
});
