import { ApplicantFields, type GivenRole, type SignUp } from "@/domain/organizations/schema";
import type { SignUpPolicy } from "@/server/features/accounts/resource";
import { readByToken } from "@/server/features/membership/invitation-queries";
import type { AnonymousCtx } from "@/server/platform/context";
import { sameText, sha256 } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { forbidden, invalid, isServiceError } from "@/server/platform/errors";
import { sendsMail } from "@/server/platform/mail/send";
import { bool } from "@/server/platform/rows";

type Db = Pick<AnonymousCtx, "db">;

/** Whether this installation has no account yet. */
async function lacksAccounts(ctx: Db): Promise<boolean> {
  const [row] = await query(ctx, { none: bool }, Prisma.sql`select not exists (select from users) as none`);
  return row?.none === true;
}

/**
 * How an account is admitted: as the first, by an invitation, because sign-up is open, or by the operator or an OpenID
 * Connect issuer, into an organization or as the founder of one with that slug.
 */
export type Admission =
  | { as: "first" }
  | { as: "invited"; token: string }
  | { as: "anyone" }
  | { as: "member"; organizationId: string; role: GivenRole; readOnly?: boolean }
  | { as: "founder"; slug: string };

/** Whether whoever is admitted so gets an organization of their own. */
export const ownsOrganization = ({ as }: Admission): boolean => as === "first" || as === "anyone" || as === "founder";

type Applicant = Pick<SignUp, "email" | "invitation" | "setup_token">;

/** Whether a token is that of a pending invitation of the address. */
async function isInvited(ctx: Db, token: string, email: string): Promise<boolean> {
  try {
    return (await readByToken(ctx, token)).invited_email === email;
  } catch (error) {
    if (isServiceError(error) && error.code === "not_found") return false;
    throw error;
  }
}

function admitFirst(given: string | undefined): Admission {
  const wanted = env.SETUP_TOKEN;
  if (wanted !== undefined && !sameText(sha256(wanted), sha256(given ?? ""))) {
    throw forbidden("The first account needs the setup token.");
  }
  return { as: "first" };
}

/** Decides about a sign-up by SIGNUP. Throws `forbidden`, and `invalid("invitation")` where sign-up is open. */
export async function admit(ctx: Db, { email, invitation, setup_token: setupToken }: Applicant): Promise<Admission> {
  if (await lacksAccounts(ctx)) return admitFirst(setupToken);
  if (env.SIGNUP === "closed") throw forbidden("Sign-up is closed.");
  if (invitation !== undefined && (await isInvited(ctx, invitation, email)))
    return { as: "invited", token: invitation };
  if (env.SIGNUP === "invited") throw forbidden("Sign-up needs an invitation.");
  if (invitation !== undefined) throw invalid("invitation", "This is not a valid invitation of this address.");
  return { as: "anyone" };
}

const isForbidden = (error: unknown): boolean => isServiceError(error) && error.code === "forbidden";

/**
 * Throws `forbidden` when sign-up is closed to everybody, or to whoever sent this document, whose other fields may be
 * invalid.
 */
export async function refuseSignUp(ctx: Db, document?: unknown): Promise<void> {
  if (document === undefined) {
    if (env.SIGNUP === "closed" && !(await lacksAccounts(ctx))) throw forbidden("Sign-up is closed.");
    return;
  }
  const { email = "", ...tokens } = ApplicantFields.safeParse(document).data ?? {};
  await admit(ctx, { email, ...tokens }).catch((error: unknown) => {
    if (isForbidden(error)) throw error;
  });
}

const firstAccountLock = 7_301_160;

/** Decides again within the transaction that makes the account; of several first accounts the others then see one. */
export async function admitWithin(tx: Db, applicant: Applicant, earlier: Admission): Promise<Admission> {
  if (earlier.as !== "first") return earlier;
  await execute(tx, Prisma.sql`select pg_advisory_xact_lock(${firstAccountLock})`);
  return admit(tx, applicant);
}

/** What the pages before signing in show: who may sign up, and whether mail can be sent. */
export async function getSignUpPolicy(ctx: Db): Promise<SignUpPolicy> {
  const first = await lacksAccounts(ctx);
  return {
    mode: env.SIGNUP,
    first,
    setup_token: first && env.SETUP_TOKEN !== undefined,
    sends_mail: sendsMail(),
    single_sign_on: env.OIDC?.name ?? null,
  };
}
