import { SubmitDraft } from "@/domain/annotations/draft-schema";
import { TaskUid } from "@/domain/tasks/schema";
import { ResultResource } from "@/server/features/tasks/resource";
import { requireWorkableTask } from "@/server/features/tasks/service";
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
