import { DatasetMemberFilters, DatasetMemberPath, DatasetPath } from "@/domain/datasets/schema";
import { AssignMember } from "@/domain/organizations/assignment";
import { getDataset } from "@/server/features/datasets/service";
import { assignMember, listAssigned, unassignMember } from "@/server/features/membership/assignment-service";
import { AssignedMember } from "@/server/features/membership/resource";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

const exists: ExistsCheck<typeof DatasetPath> = (ctx, params) => getDataset(ctx, params);

export const list = endpoint({
  method: "GET",
  path: "/datasets/{owner}/{slug}/members/",
  id: "dataset-members.list",
  summary: "List the members assigned to a dataset",
  description: "They and admins see it when its `access` is `assigned`; with `organization`, every member does.",
  permission: ["datasets.read"],
  role: "admin",
  params: DatasetPath,
  query: DatasetMemberFilters,
  response: toPageSchema(AssignedMember),
  exists,
  handler: async ({ ctx, params, query }) => {
    const { uid } = await getDataset(ctx, params);
    return listAssigned(ctx, { kind: "dataset", uid }, query);
  },
});

export const add = endpoint({
  method: "POST",
  path: "/datasets/{owner}/{slug}/members/",
  id: "dataset-members.add",
  summary: "Assign a member to a dataset",
  description: "`user`: the uid or username of a member of the organization. Assigning one twice changes nothing.",
  permission: ["datasets.write"],
  role: "admin",
  params: DatasetPath,
  body: AssignMember,
  response: AssignedMember,
  status: 201,
  exists,
  handler: async ({ ctx, params, body }) => {
    const { uid, name } = await getDataset(ctx, params);
    return assignMember(ctx, { kind: "dataset", uid, name }, body);
  },
});

export const remove = endpoint({
  method: "DELETE",
  path: "/datasets/{owner}/{slug}/members/{user_uid}/",
  id: "dataset-members.remove",
  summary: "Unassign a member from a dataset",
  permission: ["datasets.write"],
  role: "admin",
  params: DatasetMemberPath,
  status: 204,
  handler: async ({ ctx, params }) => {
    const { uid, name } = await getDataset(ctx, params);
    await unassignMember(ctx, { kind: "dataset", uid, name }, params.user_uid);
  },
});
