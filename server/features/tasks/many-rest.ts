import { AssignTasks, PrioritiseTasks, ReleaseTasks, UnskipTasks } from "@/domain/tasks/queue-schema";
import { ChangedTasks } from "@/server/features/tasks/labelling-resource";
import { assignTasks, prioritiseTasks, releaseTasks, unskipTasks } from "@/server/features/tasks/many-service";
import { endpoint } from "@/server/transport/rest/endpoint";

const changing = { method: "POST", permission: ["projects.write"], leased: true, response: ChangedTasks } as const;

export const assign = endpoint({
  ...changing,
  path: "/tasks/assign/",
  id: "tasks.assign-many",
  summary: "Assign tasks",
  description: "Members take up to 20 for themselves.",
  role: "member",
  body: AssignTasks,
  handler: ({ ctx, body }) => assignTasks(ctx, body),
});

export const prioritise = endpoint({
  ...changing,
  path: "/tasks/prioritise/",
  id: "tasks.prioritise",
  summary: "Set the priority of tasks",
  role: "admin",
  body: PrioritiseTasks,
  handler: ({ ctx, body }) => prioritiseTasks(ctx, body),
});

export const release = endpoint({
  ...changing,
  path: "/tasks/release/",
  id: "tasks.release-many",
  summary: "End the work on tasks",
  role: "admin",
  body: ReleaseTasks,
  handler: ({ ctx, body }) => releaseTasks(ctx, body),
});

export const unskip = endpoint({
  ...changing,
  path: "/tasks/unskip/",
  id: "tasks.unskip-many",
  summary: "Have skipped tasks labelled",
  role: "admin",
  body: UnskipTasks,
  handler: ({ ctx, body }) => unskipTasks(ctx, body),
});
