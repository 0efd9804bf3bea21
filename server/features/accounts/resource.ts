import { z } from "zod";
import { signUpModes } from "@/domain/organizations/schema";

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
