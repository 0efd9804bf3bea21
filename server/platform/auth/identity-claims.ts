import type { SignInRefusal } from "@/domain/organizations/sign-in-refusal";
import type { AnonymousCtx } from "@/server/platform/context";

/** What an OpenID Connect issuer says about the person who signs in. */
export interface IdentityClaims {
  issuer: string;
  subject: string;
  email: string;
  emailVerified: boolean;
  firstName: string;
  lastName: string;
  /** The values of the claim that gives roles. */
  roles: readonly string[];
  /** Whether the person showed a second factor there. */
  withSecondFactor: boolean;
}

export interface IdentityUser {
  uid: string;
  username: string;
  email: string;
  sessionVersion: number;
}

/** Finds or makes the user of an identity, by the rules of the installation. */
export type AdmitIdentity = (
  ctx: AnonymousCtx,
  claims: IdentityClaims,
) => Promise<{ user: IdentityUser } | { refused: SignInRefusal }>;
