import { randomBytes } from "node:crypto";
import type { AddressWish, SignUp } from "@/domain/organizations/schema";
import {
  admit,
  admitWithin,
  getSignUpPolicy,
  ownsOrganization,
  type Admission,
} from "@/server/features/accounts/admission-service";
import { queueVerification } from "@/server/features/accounts/mail-link-service";
import { hashNewPassword } from "@/server/features/accounts/new-password-service";
import type { SignedUp, UserResource } from "@/server/features/accounts/resource";
import { issueKey } from "@/server/features/api-keys/issue-service";
import { audit } from "@/server/features/audit/service";
import { joinByInvitation } from "@/server/features/membership/acceptance-service";
import {
  claimName,
  createMemberContext,
  findFreeSlug,
  foundOrganization,
  type FreeSlug,
} from "@/server/features/membership/founding-service";
import { toSlug } from "@/server/features/membership/names";
import { databaseNow } from "@/server/platform/clock";
import type { AnonymousCtx, Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { transaction } from "@/server/platform/db";
import { forbidden, invalid } from "@/server/platform/errors";
import { uuidv7 } from "@/server/platform/uid";

const emailTaken = () => invalid("email", "A user with this email address already exists.");

/** Whether a write violated the unique constraint of a column. */
const violates = (error: unknown, column: string): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError &&
  error.code === "P2002" &&
  JSON.stringify(error.meta).includes(column);

/**
 * Without a password only for those whose address an OpenID Connect issuer confirmed. `slug`: what the slug of the account's
 * own organization is made of; its username by default.
 */
type AccountInput = Omit<SignUp, "password"> & { password: string | null; slug?: string };

/** An account with the context of its user: in their personal organization, or in the one that invited them. */
interface NewAccount {
  user: UserResource;
  ctx: Ctx;
}

/**
 * Creates an account and, unless it is invited, its personal organization (whose slug is the username), then calls
 * `complete` in the same transaction. Throws `invalid("email")` when the address has an account, also for concurrent
 * calls.
 */
export async function createAccount<T>(
  ctx: AnonymousCtx,
  input: AccountInput,
  admission: Admission,
  complete: (account: NewAccount) => Promise<T>,
): Promise<T> {
  const { email, first_name: firstName = "", last_name: lastName = "" } = input;
  if (await ctx.db.user.findUnique({ where: { email }, select: { uid: true } })) throw emailTaken();
  const { password } = input;
  const passwordHash = await hashNewPassword("password", password ?? randomBytes(32).toString("base64url"), [
    email,
    firstName,
    lastName,
    input.organization_name ?? "",
  ]);
  const emailVerifiedAt = password === null ? databaseNow() : null;
  const uid = uuidv7();
  try {
    return await transaction(ctx, async (tx) => {
      const admitted = await admitWithin(tx, input, admission);
      const base = toUsername(email);
      const wanted = admitted.as === "founder" ? admitted.slug : ownsOrganization(admitted) ? input.slug : undefined;
      // Before the username, which may be the same.
      const slug = wanted !== undefined && wanted !== base ? await claimName(tx, wanted) : undefined;
      const username = await claimName(tx, base);
      const passwords = { passwordHash, passwordSet: password !== null };
      await tx.db.user.create({ data: { uid, username, email, firstName, lastName, emailVerifiedAt, ...passwords } });
      await tx.db.nameClaim.update({ where: { name: username }, data: { userId: uid } });
      const organization = { name: input.organization_name ?? username, slug: slug ?? username };
      const member = await enterOrganization(tx, { uid, username }, admitted, organization);
      await audit(member, { action: "user.signed_up", targetType: "user", targetId: uid, targetName: username });
      if (!emailVerifiedAt) await queueVerification(tx, email);
      return complete({ user: { uid, username, email, first_name: firstName, last_name: lastName }, ctx: member });
    });
  } catch (error) {
    if (violates(error, "email")) throw emailTaken();
    throw error;
  }
}

/** Makes a new user a member of the organization that has them, else the owner of one of their own. */
async function enterOrganization(
  tx: AnonymousCtx,
  user: { uid: string; username: string },
  admission: Admission,
  organization: { name: string; slug: string },
): Promise<Ctx> {
  if (admission.as === "invited") {
    const { organizationId, role } = await joinByInvitation(tx, user, admission.token);
    return createMemberContext(tx, user, organizationId, role);
  }
  if (admission.as === "member") {
    const { organizationId, role, readOnly = false } = admission;
    await tx.db.membership.create({ data: { uid: uuidv7(), organizationId, userId: user.uid, role, readOnly } });
    return createMemberContext(tx, user, organizationId, role);
  }
  return foundOrganization(tx, user, organization);
}

/** What the username of an account is made of. */
const toUsername = (email: string): string => toSlug(email.slice(0, email.lastIndexOf("@"))) ?? "user";

/** What the slug of an organization of somebody who signs up is made of: its name, else their e-mail. */
const toOwnSlug = (name: string, email: string): string => toSlug(name) ?? toUsername(email);

/**
 * Signs up in the browser, which needs no API key and shows what the slug of the organization is made of. Throws like
 * `admit` and `createAccount`.
 */
export async function signUp(ctx: AnonymousCtx, input: SignUp): Promise<UserResource> {
  const slug = toOwnSlug(input.organization_name ?? "", input.email);
  return createAccount(ctx, { ...input, slug }, await admit(ctx, input), async ({ user }) => user);
}

/** The slug that the organization of somebody who signs up would get now. Throws `forbidden` where nobody can. */
export async function previewOwnSlug(ctx: AnonymousCtx, { name, email = "" }: AddressWish): Promise<FreeSlug> {
  const { mode, first } = await getSignUpPolicy(ctx);
  if (mode !== "open" && !first) throw forbidden("Sign-up needs an invitation.");
  return findFreeSlug(ctx, toOwnSlug(name, email));
}

/** Signs up by the API: with an unscoped key in the account's organization, which only this response contains. */
export async function signUpWithKey(ctx: AnonymousCtx, input: SignUp): Promise<SignedUp> {
  return createAccount(ctx, input, await admit(ctx, input), async (account) => {
    const name = "First key";
    const { key, uid } = await issueKey(account.ctx, { userId: account.user.uid, name, scopes: [], expiresAt: null });
    await audit(account.ctx, { action: "api_key.created", targetType: "api_key", targetId: uid, targetName: name });
    return { user: account.user, api_key: key };
  });
}
