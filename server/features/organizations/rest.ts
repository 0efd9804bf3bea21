import {
  CreateOrganization,
  DeleteAccount,
  DeleteOrganization,
  OrganizationFilters,
  OrganizationSlug,
  SignUp,
  UpdateOrganization,
} from "@/domain/organizations/schema";
import { deleteAccount } from "@/server/features/accounts/account-deletion-service";
import { refuseSignUp } from "@/server/features/accounts/admission-service";
import { SignedUp } from "@/server/features/accounts/resource";
import { signUpWithKey } from "@/server/features/accounts/signup-service";
import { deleteOrganization, restoreOrganization } from "@/server/features/organizations/deletion-service";
import { OrganizationResource } from "@/server/features/organizations/resource";
import {
  createOrganization,
  getOrganization,
  listOrganizations,
  updateOrganization,
} from "@/server/features/organizations/service";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

export const signup = endpoint({
  method: "POST",
  path: "/signup/",
  id: "account.signup",
  summary: "Sign up",
  description:
    "Makes a user, their personal organization and one API key with full access to it, which the answer carries this once. With `invitation`, the token in an invitation's link, the user joins the inviting organization instead. Installations may limit sign-up to invited people (403); the first account may need the operator's `setup_token`.",
  anonymous: true,
  rateLimit: "signup",
  body: SignUp,
  response: SignedUp,
  status: 201,
  admits: refuseSignUp,
  handler: ({ ctx, body }) => signUpWithKey(ctx, body),
});

export const removeAccount = endpoint({
  method: "DELETE",
  path: "/account/",
  id: "account.delete",
  summary: "Delete the caller's account",
  description:
    "Deletes the account with its keys, sessions, memberships and saved views, immediately and for good; `email` and `password` confirm it. What the person made stays in the organizations. 409 while they own an organization that is not being deleted: it has to be transferred or deleted first.",
  permission: ["full"],
  role: "member",
  changes: "own",
  body: DeleteAccount,
  status: 204,
  handler: ({ ctx, body }) => deleteAccount(ctx, body),
});

export const list = endpoint({
  method: "GET",
  path: "/organizations/",
  id: "organizations.list",
  summary: "List the caller's organizations",
  description: "`ordering`: created_at (default), name or slug; `-` before it descends.",
  permission: ["full"],
  role: "member",
  query: OrganizationFilters,
  response: toPageSchema(OrganizationResource),
  handler: ({ ctx, query }) => listOrganizations(ctx, query),
});

export const create = endpoint({
  method: "POST",
  path: "/organizations/",
  id: "organizations.create",
  summary: "Create an organization",
  description: "The caller owns it. A key acts in its own organization only, so this one needs keys of its own.",
  permission: ["full"],
  role: "member",
  changes: "own",
  body: CreateOrganization,
  response: OrganizationResource,
  status: 201,
  handler: ({ ctx, body }) => createOrganization(ctx, body),
});

export const get = endpoint({
  method: "GET",
  path: "/organizations/{org_slug}/",
  id: "organizations.get",
  summary: "Get an organization",
  permission: ["full"],
  role: "member",
  params: OrganizationSlug,
  response: OrganizationResource,
  handler: ({ ctx, params }) => getOrganization(ctx, params.org_slug),
});

export const update = endpoint({
  method: "PATCH",
  path: "/organizations/{org_slug}/",
  id: "organizations.update",
  summary: "Update an organization",
  description:
    "`settings` and its `retention` are merged. `settings.key_expiry_days` limits the life of every key, existing ones included. `settings.require_second_factor` lets members without one only set one up; keys are not affected, and only those who have one can turn it on. `settings.pictures_in_messages` sends what cameras saw to the channels of alerts.",
  permission: ["full"],
  role: "admin",
  params: OrganizationSlug,
  body: UpdateOrganization,
  response: OrganizationResource,
  exists: (ctx, params) => getOrganization(ctx, params.org_slug),
  handler: ({ ctx, params, body }) => updateOrganization(ctx, params.org_slug, body),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/organizations/{org_slug}/",
  id: "organizations.delete",
  summary: "Delete an organization",
  description:
    "Owner only; `confirm_name` is the organization's name. For seven days its keys, device tokens and sessions are refused, nothing is sent, and only the owner sees it and can restore it. Then its rows and files are deleted for good.",
  permission: ["full"],
  role: "owner",
  params: OrganizationSlug,
  body: DeleteOrganization,
  status: 204,
  exists: (ctx, params) => getOrganization(ctx, params.org_slug),
  handler: ({ ctx, params, body }) => deleteOrganization(ctx, params.org_slug, body),
});

export const restore = endpoint({
  method: "POST",
  path: "/organizations/{org_slug}/restore/",
  id: "organizations.restore",
  summary: "Take the deletion of an organization back",
  description:
    "For the owner, in the browser or by a key of another organization, because its own keys are refused. Its keys, device tokens and sessions work again, and what waited is sent. 409 when it is not being deleted, or when it is too late.",
  permission: ["full"],
  role: "member",
  changes: "own",
  params: OrganizationSlug,
  response: OrganizationResource,
  handler: ({ ctx, params }) => restoreOrganization(ctx, params.org_slug),
});
