import { PreLabel } from "@/domain/tasks/pre-label-schema";
import { TaskUid } from "@/domain/tasks/schema";
import { getProject } from "@/server/features/projects/service";
import { PreLabelled } from "@/server/features/tasks/labelling-resource";
import { preLabel } from "@/server/features/tasks/pre-label-service";
import { endpoint } from "@/server/transport/rest/endpoint";

export const offer = endpoint({
  method: "POST",
  path: "/projects/{uid}/pre-label/",
  id: "projects.pre-label",
  summary: "Offer predictions of a run in a project's tasks",
  description:
    "In the drafts of tasks that nobody has begun, for people to take or change; `undo` takes back what is untouched.",
  permission: ["projects.write"],
  role: "admin",
  leased: true,
  params: TaskUid,
  body: PreLabel,
  response: PreLabelled,
  status: 202,
  exists: (ctx, params) => getProject(ctx, params.uid),
  handler: ({ ctx, params, body }) => preLabel(ctx, params.uid, body),
});
