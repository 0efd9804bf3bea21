import { z } from "zod";
import { invitationStatuses } from "@/domain/organizations/schema";
import { roles } from "@/domain/permissions";

export const MemberResource = z.object({
  uid: z.string(),
  user_uid: z.string(),
  username: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  role: z.enum(roles),
  /** Whether the member may only view. */
  read_only: z.boolean(),
  /** Whether the member has a second factor; null for those who are not admins. */
  second_factor: z.boolean().nullable(),
  last_active_at: z.string().nullable(),
  joined_at: z.string(),
});
export type MemberResource = z.output<typeof MemberResource>;

/** A member who is assigned to a dataset or a project. */
export const AssignedMember = z.object({
  user_uid: z.string(),
  username: z.string(),
  email: z.string(),
  assigned_at: z.string(),
});
export type AssignedMember = z.output<typeof AssignedMember>;

/** An invitation as the inviting organization sees it. The link is present only while it is valid. */
export const InvitationResource = z.object({
  uid: z.string(),
  email: z.string(),
  role: z.enum(roles),
  read_only: z.boolean(),
  status: z.enum(invitationStatuses),
  invited_by: z.string().nullable(),
  invited_by_username: z.string().nullable(),
  expires_at: z.string(),
  is_expired: z.boolean(),
  accept_url: z.string().nullable(),
  copy_link: z.string().nullable(),
  created_at: z.string(),
});
export type InvitationResource = z.output<typeof InvitationResource>;

/** An invitation as the invited person sees it. */
export const AcceptedInvitation = z.object({
  invited_email: z.string(),
  uid: z.string(),
  organization_name: z.string(),
  organization_slug: z.string(),
  invited_by_username: z.string().nullable(),
  role: z.enum(roles),
  read_only: z.boolean(),
  status: z.enum(invitationStatuses),
  expires_at: z.string(),
  is_expired: z.boolean(),
  accept_url: z.string(),
  copy_link: z.string(),
  created_at: z.string(),
});
export type AcceptedInvitation = z.output<typeof AcceptedInvitation>;

/** An invitation on the page behind its link, which also says whether the invited person has to sign up or in. */
export const InvitationPreview = AcceptedInvitation.extend({ has_account: z.boolean() });
export type InvitationPreview = z.output<typeof InvitationPreview>;
