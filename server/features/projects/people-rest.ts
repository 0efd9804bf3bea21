import { ProjectMemberFilters, ProjectMemberPath, ProjectPath, SetProjectPerson } from "@/domain/projects/schema";
import { listProjectPeople, removeProjectPerson, setProjectPerson } from "@/server/features/projects/people-service";
import { ProjectPersonResource } from "@/server/features/projects/resource";
import { getOwnedProject } from "@/server/features/projects/service";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

const exists: ExistsCheck<typeof ProjectPath> = (ctx, params) => getOwnedProject(ctx, params.owner, params.uid);

export const list = endpoint({
  method: "GET",
  path: "/projects/{owner}/{uid}/people/",
  id: "project-people.list",
  summary: "List the annotators and reviewers of a project",
  permission: ["projects.read"],
  role: "member",
  params: ProjectPath,
  query: ProjectMemberFilters,
  response: toPageSchema(ProjectPersonResource),
  exists,
  handler: async ({ ctx, params, query }) => {
    const { uid } = await getOwnedProject(ctx, params.owner, params.uid);
    return listProjectPeople(ctx, uid, query);
  },
});

export const set = endpoint({
  method: "POST",
  path: "/projects/{owner}/{uid}/people/",
  id: "project-people.set",
  summary: "Make a member annotator or reviewer of a project",
  description: "Also assigns them to a project that only assigned members see.",
  permission: ["projects.write"],
  role: "admin",
  params: ProjectPath,
  body: SetProjectPerson,
  response: ProjectPersonResource,
  status: 201,
  exists,
  handler: async ({ ctx, params, body }) => {
    const { uid } = await getOwnedProject(ctx, params.owner, params.uid);
    return setProjectPerson(ctx, uid, body);
  },
});

export const remove = endpoint({
  method: "DELETE",
  path: "/projects/{owner}/{uid}/people/{user_uid}/",
  id: "project-people.remove",
  summary: "Remove an annotator or reviewer of a project",
  permission: ["projects.write"],
  role: "admin",
  params: ProjectMemberPath,
  status: 204,
  handler: async ({ ctx, params }) => {
    const { uid } = await getOwnedProject(ctx, params.owner, params.uid);
    await removeProjectPerson(ctx, uid, params.user_uid);
  },
});
