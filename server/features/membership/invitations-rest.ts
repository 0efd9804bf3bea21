import {
  AcceptInvitation,
  CreateInvitation,
  InvitationFilters,
  InvitationPath,
  InvitationToken,
  OrganizationSlug,
} from "@/domain/organizations/schema";
import { acceptInvitation } from "@/server/features/membership/acceptance-service";
import { requireOwn } from "@/server/features/membership/access-service";
import { readByToken } from "@/server/features/membership/invitation-queries";
import {
  cancelInvitation,
  invite,
  listInvitations,
  resendInvitation,
} from "@/server/features/membership/invitation-service";
import { AcceptedInvitation, InvitationResource } from "@/server/features/membership/resource";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

export const list = endpoint({
  method: "GET",
  path: "/organizations/{org_slug}/invitations/",
  id: "invitations.list",
  summary: "List invitations",
  permission: ["full"],
  role: "admin",
  params: OrganizationSlug,
  query: InvitationFilters,
  response: toPageSchema(InvitationResource),
  exists: (ctx, params) => requireOwn(ctx, params.org_slug),
  handler: ({ ctx, params, query }) => listInvitations(ctx, params.org_slug, query),
});

export const create = endpoint({
  method: "POST",
  path: "/organizations/{org_slug}/invitations/",
  id: "invitations.create",
  summary: "Create an invitation",
  description: "The invitation is mailed and good for 7 days. `role` is admin or member.",
  permission: ["full"],
  role: "admin",
  params: OrganizationSlug,
  body: CreateInvitation,
  response: InvitationResource,
  status: 201,
  exists: (ctx, params) => requireOwn(ctx, params.org_slug),
  handler: ({ ctx, params, body }) => invite(ctx, params.org_slug, body),
});

export const resend = endpoint({
  method: "POST",
  path: "/organizations/{org_slug}/invitations/{uid}/resend/",
  id: "invitations.resend",
  summary: "Resend an invitation",
  description: "Good for another 7 days. One that had expired gets a new link.",
  permission: ["full"],
  role: "admin",
  params: InvitationPath,
  response: InvitationResource,
  handler: ({ ctx, params }) => resendInvitation(ctx, params.org_slug, params.uid),
});

export const cancel = endpoint({
  method: "DELETE",
  path: "/organizations/{org_slug}/invitations/{uid}/",
  id: "invitations.cancel",
  summary: "Cancel an invitation",
  permission: ["full"],
  role: "admin",
  params: InvitationPath,
  status: 204,
  handler: ({ ctx, params }) => cancelInvitation(ctx, params.org_slug, params.uid),
});

export const accept = endpoint({
  method: "POST",
  path: "/organizations/invitations/{token}/accept/",
  id: "invitations.accept",
  summary: "Accept an invitation",
  description:
    "`invited_email` must be the invited address and the caller's own. The role is the invitation's; other fields are ignored.",
  permission: ["full"],
  role: "member",
  changes: "own",
  params: InvitationToken,
  body: AcceptInvitation,
  response: AcceptedInvitation,
  status: 201,
  exists: (ctx, params) => readByToken(ctx, params.token),
  handler: ({ ctx, params, body }) => acceptInvitation(ctx, params.token, body),
});
