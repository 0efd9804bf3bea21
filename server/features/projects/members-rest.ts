import { AssignMember } from "@/domain/organizations/assignment";
import { ProjectMemberFilters, ProjectMemberPath, ProjectPath } from "@/domain/projects/schema";
import { assignMember, listAssigned, unassignMember } from "@/server/features/membership/assignment-service";
import { AssignedMember } from "@/server/features/membership/resource";
import { getOwnedProject } from "@/server/features/projects/service";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

const exists: ExistsCheck<typeof ProjectPath> = (ctx, params) => getOwnedProject(ctx, params.owner, params.uid);

export const list = endpoint({
  method: "GET",
  path: "/projects/{owner}/{uid}/members/",
  id: "project-members.list",
  summary: "List the members assigned to a project",
  description: "They and admins see it when its `access` is `assigned`; with `organization`, every member does.",
  permission: ["projects.read"],
  role: "admin",
  params: ProjectPath,
  query: ProjectMemberFilters,
  response: toPageSchema(AssignedMember),
  exists,
  handler: async ({ ctx, params, query }) => {
    const { uid } = await getOwnedProject(ctx, params.owner, params.uid);
    return listAssigned(ctx, { kind: "project", uid }, query);
  },
});

export const add = endpoint({
  method: "POST",
  path: "/projects/{owner}/{uid}/members/",
  id: "project-members.add",
  summary: "Assign a member to a project",
  description: "`user`: the uid or username of a member of the organization. Assigning one twice changes nothing.",
  permission: ["projects.write"],
  role: "admin",
  params: ProjectPath,
  body: AssignMember,
  response: AssignedMember,
  status: 201,
  exists,
  handler: async ({ ctx, params, body }) => {
    const { uid, name } = await getOwnedProject(ctx, params.owner, params.uid);
    return assignMember(ctx, { kind: "project", uid, name }, body);
  },
});

export const remove = endpoint({
  method: "DELETE",
  path: "/projects/{owner}/{uid}/members/{user_uid}/",
  id: "project-members.remove",
  summary: "Unassign a member from a project",
  permission: ["projects.write"],
  role: "admin",
  params: ProjectMemberPath,
  status: 204,
  handler: async ({ ctx, params }) => {
    const { uid, name } = await getOwnedProject(ctx, params.owner, params.uid);
    await unassignMember(ctx, { kind: "project", uid, name }, params.user_uid);
  },
});
