import { CreateGroup, GroupFilters, GroupUid, UpdateGroup } from "@/domain/devices/schema";
import { createGroup, deleteGroup, getGroup, listGroups, updateGroup } from "@/server/features/devices/group-service";
import { GroupDetail, GroupResource } from "@/server/features/devices/resource";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

export const list = endpoint({
  method: "GET",
  path: "/fleet/groups/",
  id: "groups.list",
  summary: "List device groups",
  permission: ["fleet.read"],
  role: "member",
  query: GroupFilters,
  response: toPageSchema(GroupResource),
  handler: ({ ctx, query }) => listGroups(ctx, query),
});

export const create = endpoint({
  method: "POST",
  path: "/fleet/groups/",
  id: "groups.create",
  summary: "Create a device group",
  description: "With `parent_id` inside another one: a rule for that one watches the devices of this one, too.",
  permission: ["fleet.write"],
  role: "admin",
  body: CreateGroup,
  response: GroupDetail,
  status: 201,
  handler: ({ ctx, body }) => createGroup(ctx, body),
});

export const get = endpoint({
  method: "GET",
  path: "/fleet/groups/{uid}/",
  id: "groups.get",
  summary: "Get a device group",
  permission: ["fleet.read"],
  role: "member",
  params: GroupUid,
  response: GroupDetail,
  handler: ({ ctx, params }) => getGroup(ctx, params.uid),
});

export const update = endpoint({
  method: "PATCH",
  path: "/fleet/groups/{uid}/",
  id: "groups.update",
  summary: "Update a device group",
  description:
    "`device_ids` replaces the members. `parent_id` moves it, with the groups inside it, into another one or, as null, " +
    "out of all.",
  permission: ["fleet.write"],
  role: "admin",
  params: GroupUid,
  body: UpdateGroup,
  response: GroupDetail,
  exists: (ctx, params) => getGroup(ctx, params.uid),
  handler: ({ ctx, params, body }) => updateGroup(ctx, params.uid, body),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/fleet/groups/{uid}/",
  id: "groups.delete",
  summary: "Delete a device group",
  description: "Its devices stay; groups inside it move to the one around it.",
  permission: ["fleet.write"],
  role: "admin",
  params: GroupUid,
  status: 204,
  handler: ({ ctx, params }) => deleteGroup(ctx, params.uid),
});
