import { MemberFilters, MemberPath, OrganizationSlug, UpdateMember } from "@/domain/organizations/schema";
import { requireOwn } from "@/server/features/membership/access-service";
import {
  changeRole,
  getMember,
  leaveOrganization,
  listMembers,
  removeMember,
} from "@/server/features/membership/member-service";
import { MemberResource } from "@/server/features/membership/resource";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

export const list = endpoint({
  method: "GET",
  path: "/organizations/{org_slug}/members/",
  id: "members.list",
  summary: "List the members of an organization",
  description: "`ordering`: joined_at (default), username, email or role; `-` before it descends.",
  permission: ["full"],
  role: "member",
  params: OrganizationSlug,
  query: MemberFilters,
  response: toPageSchema(MemberResource),
  exists: (ctx, params) => requireOwn(ctx, params.org_slug),
  handler: ({ ctx, params, query }) => listMembers(ctx, params.org_slug, query),
});

export const update = endpoint({
  method: "PATCH",
  path: "/organizations/{org_slug}/members/{uid}/",
  id: "members.update",
  summary: "Change a member's role",
  description: "admin or member. The owner changes only by a transfer of ownership, in the dashboard.",
  permission: ["full"],
  role: "admin",
  params: MemberPath,
  body: UpdateMember,
  response: MemberResource,
  exists: (ctx, params) => getMember(ctx, params.org_slug, params.uid),
  handler: ({ ctx, params, body }) => changeRole(ctx, params.org_slug, params.uid, body),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/organizations/{org_slug}/members/{uid}/",
  id: "members.delete",
  summary: "Remove a member",
  description: "Their keys in the organization end with the membership.",
  permission: ["full"],
  role: "admin",
  params: MemberPath,
  status: 204,
  handler: ({ ctx, params }) => removeMember(ctx, params.org_slug, params.uid),
});

export const leave = endpoint({
  method: "POST",
  path: "/organizations/{org_slug}/leave/",
  id: "members.leave",
  summary: "Leave an organization",
  description: "The caller's keys in it end, the one that made the request included.",
  permission: ["full"],
  role: "member",
  params: OrganizationSlug,
  status: 204,
  handler: ({ ctx, params }) => leaveOrganization(ctx, params.org_slug),
});
