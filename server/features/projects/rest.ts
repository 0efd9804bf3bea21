import type { ProjectStep } from "@/domain/projects/lifecycle";
import {
  CloneProject,
  CreateProject,
  ProjectFilters,
  ProjectOwner,
  ProjectPath,
  ProjectUid,
  UpdateProject,
} from "@/domain/projects/schema";
import { stepProject } from "@/server/features/projects/lifecycle-service";
import { ProjectResource } from "@/server/features/projects/resource";
import {
  cloneProject,
  createProject,
  getOwnedProject,
  listProjects,
  updateProject,
} from "@/server/features/projects/service";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

export const list = endpoint({
  method: "GET",
  path: "/projects/{owner}/",
  id: "projects.list",
  summary: "List the projects of an owner",
  description: "`ordering`: created_at or name; `-` before it descends (default `-created_at`).",
  permission: ["projects.read"],
  role: "member",
  params: ProjectOwner,
  query: ProjectFilters,
  response: toPageSchema(ProjectResource),
  handler: ({ ctx, params, query }) => listProjects(ctx, params.owner, query),
});

export const create = endpoint({
  method: "POST",
  path: "/projects/",
  id: "projects.create",
  summary: "Create a project",
  description: "It waits for approval, which makes a task of every item of its datasets.",
  permission: ["projects.write"],
  role: "admin",
  body: CreateProject,
  response: ProjectResource,
  status: 201,
  handler: ({ ctx, body }) => createProject(ctx, body),
});

export const clone = endpoint({
  method: "POST",
  path: "/projects/create-from-existing/",
  id: "projects.clone",
  summary: "Create a project from an existing one",
  permission: ["projects.write"],
  role: "admin",
  body: CloneProject,
  response: ProjectResource,
  status: 201,
  handler: ({ ctx, body }) => cloneProject(ctx, body),
});

export const get = endpoint({
  method: "GET",
  path: "/projects/{owner}/{uid}/",
  id: "projects.get",
  summary: "Get a project",
  permission: ["projects.read"],
  role: "member",
  params: ProjectPath,
  response: ProjectResource,
  handler: ({ ctx, params }) => getOwnedProject(ctx, params.owner, params.uid),
});

export const update = endpoint({
  method: "PATCH",
  path: "/projects/{owner}/{uid}/",
  id: "projects.update",
  summary: "Update a project",
  permission: ["projects.write"],
  role: "admin",
  params: ProjectPath,
  body: UpdateProject,
  response: ProjectResource,
  exists: (ctx, params) => getOwnedProject(ctx, params.owner, params.uid),
  handler: ({ ctx, params, body }) => updateProject(ctx, params.owner, params.uid, body),
});

const step = (name: ProjectStep, summary: string, description: string) =>
  endpoint({
    method: "POST",
    path: `/projects/{uid}/${name}/`,
    id: `projects.${name}`,
    summary,
    description,
    permission: ["projects.write"],
    role: "admin",
    params: ProjectUid,
    response: ProjectResource,
    handler: ({ ctx, params }) => stepProject(ctx, params.uid, name),
  });

export const approve = step(
  "approve",
  "Approve a project",
  "From pending-approval. Makes a task of every item, in work batches of 100.",
);
export const pause = step("pause", "Pause a project", "From active. No task is opened meanwhile.");
export const resume = step("resume", "Resume a project", "From paused.");
export const cancel = step("cancel", "Cancel a project", "From pending-approval, active or paused.");
export const archive = step("archive", "Archive a project", "From completed or canceled.");
