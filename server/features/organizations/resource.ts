import { z } from "zod";
import { invitationStatuses, signUpModes, OrganizationSettings } from "@/domain/organizations/schema";
import { roles } from "@/domain/permissions";

export const OrganizationResource = z.object({
  uid: z.string(),
  name: z.string(),
  slug: z.string(),
  logo_url: z.string().nullable(),
  member_count: z.int(),
  /** Additive: the caller's own role there, and the organization's settings. */
  role: z.enum(roles),
  read_only: z.boolean(),
  settings: OrganizationSettings,
  /** Additive: when it will be deleted, which only its owner sees; null unless they asked for that. */
  deletes_at: z.string().nullable(),
  created_at: z.string(),
});
export type OrganizationResource = z.output<typeof OrganizationResource>;

/** An organization that is being deleted. Until `deletes_at` its owner can take that back. */
export const DeletedOrganization = OrganizationResource.pick({ uid: true, name: true, slug: true }).extend({
  deletes_at: z.string(),
});
export type DeletedOrganization = z.output<typeof DeletedOrganization>;

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

const userFields = {
  uid: z.string(),
  username: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
};

const UserResource = z.object(userFields);
export type UserResource = z.output<typeof UserResource>;

export const SignedUp = z.object({ user: UserResource, api_key: z.string() });
export type SignedUp = z.output<typeof SignedUp>;

/** Who may sign up: by SIGNUP, or anyone who makes the first account; and whether mail can be sent. */
export const SignUpPolicy = z.object({
  mode: z.enum(signUpModes),
  first: z.boolean(),
  setup_token: z.boolean(),
  sends_mail: z.boolean(),
  /** What the button to sign in by OpenID Connect names; null where it is not configured. */
  single_sign_on: z.string().nullable(),
});
export type SignUpPolicy = z.output<typeof SignUpPolicy>;

export const ProfileResource = z.object({
  ...userFields,
  is_staff: z.boolean(),
  /** Whether the person has shown that the address is theirs. */
  email_verified: z.boolean(),
  /** Whether the account has a password. One made by OpenID Connect has none until it is reset. */
  password_set: z.boolean(),
  preferences: z.record(z.string(), z.unknown()),
  created_at: z.string(),
});
export type ProfileResource = z.output<typeof ProfileResource>;

/** A browser in which a user is signed in. */
export const SessionResource = z.object({
  uid: z.string(),
  user_agent: z.string(),
  ip: z.string().nullable(),
  created_at: z.string(),
  last_used_at: z.string(),
  expires_at: z.string(),
  /** Whether it is the one that asks. */
  current: z.boolean(),
});
export type SessionResource = z.output<typeof SessionResource>;

/** Whether a user has a second factor. */
export const SecondFactorState = z.object({
  enabled_at: z.string().nullable(),
  recovery_codes_left: z.int(),
  /** Whether changing it needs the password. */
  needs_password: z.boolean(),
  /** The names of the user's organizations that require one. */
  required_by: z.array(z.string()),
});
export type SecondFactorState = z.output<typeof SecondFactorState>;

/** An authenticator app that is being set up: its secret, and the address in the QR code. */
export const PendingSecondFactor = z.object({ secret: z.string(), uri: z.string() });
export type PendingSecondFactor = z.output<typeof PendingSecondFactor>;

export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) });
export type RecoveryCodes = z.output<typeof RecoveryCodes>;
