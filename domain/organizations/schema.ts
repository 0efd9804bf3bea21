import { z } from "zod";
import { choice, choices, email, jsonObject, list, longPage, nonBlank, ordered, text, uid } from "@/domain/fields";
import { healthLimits, metricName } from "@/domain/health/limits";
import { maxUrlLength } from "@/domain/limits";
import { maxLogoBytes } from "@/domain/organizations/logo";
import { RetentionSettings } from "@/domain/organizations/retention";
import { timeZone } from "@/domain/time/fields";

export const invitationStatuses = ["pending", "accepted", "expired", "cancelled"] as const;

/** Roles that can be assigned. An organization has exactly one owner, changed only by a transfer of ownership. */
const givenRoles = ["admin", "member"] as const;
export type GivenRole = (typeof givenRoles)[number];

/** Who may sign up: everybody, invited people, or nobody. */
export const signUpModes = ["open", "invited", "closed"] as const;

/** An invitation can be accepted for this many days. */
export const invitationDays = 7;

/** For this many days the owner can take the deletion of an organization back. */
export const deletionDays = 7;

const bounds = { shortest: 8, longest: 128 };

/** A new password. Its length is checked here, before it is hashed. */
const newPassword = () =>
  z
    .string()
    .refine((value) => value.length <= bounds.longest, {
      error: `Ensure this field has no more than ${bounds.longest} characters.`,
      abort: true,
    })
    .refine((value) => value.trim() !== "", { error: "This field may not be blank.", abort: true })
    .refine((value) => [...value].length >= bounds.shortest, {
      error: `Ensure this field has at least ${bounds.shortest} characters.`,
    })
    .meta({ minLength: bounds.shortest, maxLength: bounds.longest });

const filledEmail = () =>
  z
    .string()
    .refine((value) => value.trim() !== "", { error: "This field may not be blank.", abort: true })
    .pipe(email());

/** The address of an account, in lower case. */
export const EmailAddress = filledEmail();

const names = { first_name: text(150).optional(), last_name: text(150).optional() };

export const SignUp = z.object({
  email: filledEmail(),
  password: newPassword(),
  ...names,
  /** Additive: what the personal organization is called. */
  organization_name: nonBlank(255).optional(),
  /** Additive: the token in the link of an invitation of this address, whose organization the account then joins. */
  invitation: text(255).optional(),
  /** Additive: needed for the first account where SETUP_TOKEN is set. */
  setup_token: text(255).optional(),
});
export type SignUp = z.output<typeof SignUp>;

/** What the address of a new organization is made of: its name, else the e-mail of its owner. Unfinished while typed. */
export const AddressWish = z.object({ name: text(255), email: text(254).optional() });
export type AddressWish = z.output<typeof AddressWish>;

/** What decides about a sign-up, of a document whose other fields, or one of these, may be invalid. */
export const ApplicantFields = z.object({
  email: SignUp.shape.email.optional().catch(undefined),
  invitation: SignUp.shape.invitation.catch(undefined),
  setup_token: SignUp.shape.setup_token.catch(undefined),
});

/** An account that the operator makes on the command line. */
export const CreateUser = SignUp.pick({ email: true, password: true, organization_name: true }).extend({
  role: choice(givenRoles),
});
export type CreateUser = z.output<typeof CreateUser>;

/**
 * Settings of an organization. `key_expiry_days`: the maximum lifetime of keys; null removes the limit.
 * `require_second_factor`: members without one can only set it up. `time_zone`: the one that times are shown in until
 * a person chooses; null for that of their browser. `retention`: after how many days what is deleted.
 * `pictures_in_messages`: messages of channels carry what cameras saw. `device_metrics`: the metrics that the list of
 * devices has as columns; null for the one that is ranked first.
 */
export const OrganizationSettings = z.object({
  key_expiry_days: z
    .int({ error: (issue) => (issue.input === null ? undefined : "A valid integer is required.") })
    .min(1)
    .max(3_650)
    .nullable()
    .optional(),
  require_second_factor: z.boolean().optional(),
  time_zone: timeZone().nullable().optional(),
  retention: RetentionSettings.optional(),
  pictures_in_messages: z.boolean().optional(),
  device_metrics: list(z.string().regex(metricName, { error: "No such metric." }), healthLimits.columns)
    .nullable()
    .optional(),
});
export type OrganizationSettings = z.output<typeof OrganizationSettings>;

const logoUrl = text(maxUrlLength)
  .refine((value) => /^https:\/\//i.test(value) && URL.canParse(value) && !/\s/.test(value), {
    error: "Enter a valid URL.",
  })
  .nullable();

export const CreateOrganization = z.object({ name: nonBlank(255) });
export type CreateOrganization = z.output<typeof CreateOrganization>;

export const UpdateOrganization = z.object({
  name: nonBlank(255).optional(),
  logo_url: logoUrl.optional(),
  settings: OrganizationSettings.optional(),
});
export type UpdateOrganization = z.output<typeof UpdateOrganization>;

/** The logo as a PNG in base64; null removes it. */
export const SetLogo = z.object({
  png: z
    .base64()
    .min(1)
    .max(Math.ceil(maxLogoBytes / 3) * 4)
    .nullable(),
});
export type SetLogo = z.output<typeof SetLogo>;

/** `confirm_name`: the organization's name, typed by the person who deletes it. */
export const DeleteOrganization = z.object({ confirm_name: text(255) });
export type DeleteOrganization = z.output<typeof DeleteOrganization>;

export const OrganizationFilters = z.object({ ordering: ordered(["created_at", "name", "slug"]), ...longPage() });
export type OrganizationFilters = z.output<typeof OrganizationFilters>;

export const MemberFilters = z.object({
  ordering: ordered(["joined_at", "username", "email", "role"]),
  /** Additive: part of the username or e-mail address. */
  search: text(255).optional(),
  ...longPage(),
});
export type MemberFilters = z.output<typeof MemberFilters>;

export const InvitationFilters = z.object({ status: choices(invitationStatuses).optional(), ...longPage() });
export type InvitationFilters = z.output<typeof InvitationFilters>;

/** Additive: only members can be read-only; admins never are. */
const readOnly = z.boolean().optional();

export const UpdateMember = z.object({ role: choice(givenRoles).optional(), read_only: readOnly });
export type UpdateMember = z.output<typeof UpdateMember>;

export const CreateInvitation = z.object({ email: filledEmail(), role: choice(givenRoles), read_only: readOnly });
export type CreateInvitation = z.output<typeof CreateInvitation>;

/** Other members (role, status, expires_at) are ignored: the invitation determines them. */
export const AcceptInvitation = z.object({ invited_email: filledEmail() });
export type AcceptInvitation = z.output<typeof AcceptInvitation>;

// Other names cannot exist, so they are unknown without a look-up.
const slug = z.string().regex(/^[a-z0-9-]{1,100}$/);
const bareUid = uid();

export const OrganizationSlug = z.object({ org_slug: slug });
export const MemberUid = z.object({ uid: bareUid });
export const MemberPath = z.object({ org_slug: slug, uid: bareUid });
export const SessionUid = z.object({ uid: bareUid });
export const InvitationUid = z.object({ uid: bareUid });
export const InvitationPath = z.object({ org_slug: slug, uid: bareUid });
/** Any text: a malformed token is an unknown one. */
export const InvitationToken = z.object({ token: z.string() });

/** The token in the link of a mail. Any text: a malformed one is an unknown one. */
const linkToken = text(255);
export const LinkToken = z.object({ token: linkToken });
export const RequestReset = z.object({ email: filledEmail() });
export const ResetPassword = z.object({ token: linkToken, password: newPassword() });
export type ResetPassword = z.output<typeof ResetPassword>;

export const UpdateProfile = z.object(names);
export type UpdateProfile = z.output<typeof UpdateProfile>;

export const ChangePassword = z.object({ current_password: text(4_096), new_password: newPassword() });
export type ChangePassword = z.output<typeof ChangePassword>;

/** The address and the password of the account that is to be deleted. */
export const DeleteAccount = z.object({ email: filledEmail(), password: text(4_096) });
export type DeleteAccount = z.output<typeof DeleteAccount>;

/** Merged one level deep; a null removes its key. */
export const UpdatePreferences = z.object({ preferences: jsonObject(16 * 1024) });
export type UpdatePreferences = z.output<typeof UpdatePreferences>;
