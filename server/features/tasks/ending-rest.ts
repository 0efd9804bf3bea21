import { SubmitDraft } from "@/domain/annotations/draft-schema";
import { TaskUid } from "@/domain/tasks/schema";
import { SkipTask } from "@/domain/tasks/skip-schema";
import { ResultResource, TaskResource } from "@/server/features/tasks/resource";
import { getTask, requireWorkableTask } from "@/server/features/tasks/service";
import { skipTask, unskipTask } from "@/server/features/tasks/skip-service";
import { submitDraft } from "@/server/features/tasks/submit-service";
import { endpoint } from "@/server/transport/rest/endpoint";

export const submit = endpoint({
  method: "POST",
  path: "/tasks/{uid}/draft/submit/",
  id: "tasks.submit",
  summary: "Submit the draft of a task",
  description: "Completes the task.",
  permission: ["projects.write"],
  role: "member",
  leased: true,
  params: TaskUid,
  body: SubmitDraft,
  response: ResultResource,
  status: 201,
  exists: (ctx, params) => requireWorkableTask(ctx, params.uid),
  handler: ({ ctx, params, body }) => submitDraft(ctx, params.uid, body),
});

export const skip = endpoint({
  method: "POST",
  path: "/tasks/{uid}/skip/",
  id: "tasks.skip",
  summary: "Skip a task",
  description: "Completes it without a result.",
  permission: ["projects.write"],
  role: "member",
  leased: true,
  params: TaskUid,
  body: SkipTask,
  response: TaskResource,
  exists: (ctx, params) => requireWorkableTask(ctx, params.uid),
  handler: ({ ctx, params, body }) => skipTask(ctx, params.uid, body),
});

export const unskip = endpoint({
  method: "POST",
  path: "/tasks/{uid}/unskip/",
  id: "tasks.unskip",
  summary: "Have a skipped task labelled",
  permission: ["projects.write"],
  role: "admin",
  leased: true,
  params: TaskUid,
  response: TaskResource,
  exists: async (ctx, params) => void (await getTask(ctx, params.uid)),
  handler: ({ ctx, params }) => unskipTask(ctx, params.uid),
});
