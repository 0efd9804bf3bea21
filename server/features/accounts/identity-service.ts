import { randomBytes } from "node:crypto";
import { EmailAddress } from "@/domain/organizations/schema";
import type { SignInRefusal } from "@/domain/organizations/sign-in-refusal";
import type { Admission } from "@/server/features/accounts/admission-service";
import { removeSecondFactor } from "@/server/features/accounts/second-factor-service";
import { endUserSessions } from "@/server/features/accounts/session-service";
import { createAccount } from "@/server/features/accounts/signup-service";
import { revokeKeysOfUser } from "@/server/features/api-keys/issue-service";
import { audit } from "@/server/features/audit/service";
import { createMemberContext } from "@/server/features/membership/founding-service";
import type { AdmitIdentity, IdentityClaims, IdentityUser } from "@/server/platform/auth/identity-claims";
import { hashPassword } from "@/server/platform/auth/password";
import { databaseNow } from "@/server/platform/clock";
import type { AnonymousCtx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { grants, type Grant } from "@/server/platform/oidc-settings";
import { storedText } from "@/server/platform/stored-text";
import { uuidv7 } from "@/server/platform/uid";

/** Ends the transaction of `admitIdentity` without a user. */
class Refused extends Error {
  constructor(readonly reason: SignInRefusal) {
    super(reason);
  }
}

/** A claim as a name of an account can hold it. */
const toName = (claim: string): string => storedText(claim).trim().slice(0, 150);

/** The address, confirmed by the issuer, and the slug of the organization of its domain. */
function readAddress({ email, emailVerified }: IdentityClaims): { email: string; slug: string } {
  const parsed = EmailAddress.safeParse(email);
  if (!parsed.success || !emailVerified) throw new Refused("unverified");
  const slug = env.OIDC?.domains.get(parsed.data.slice(parsed.data.lastIndexOf("@") + 1));
  if (slug === undefined) throw new Refused("domain");
  return { email: parsed.data, slug };
}

/** What the claim makes of a person: of several values the highest. Everybody is a member where no claim is configured. */
function readGrant({ roles }: IdentityClaims): Grant {
  if (env.OIDC?.roleClaim === undefined) return "member";
  const given = roles.map((value) => env.OIDC?.roles.get(value));
  const highest = grants.find((grant) => given.includes(grant));
  if (!highest) throw new Refused("role");
  return highest;
}

type Place = Extract<Admission, { as: "member" | "founder" }>;

/**
 * How a person comes into the organization of their domain. It has one owner, who changes only by a transfer of
 * ownership; so who is to be its owner founds it while it does not exist, and else becomes an admin.
 */
async function findPlace(tx: AnonymousCtx, slug: string, grant: Grant): Promise<Place> {
  const organization = await tx.db.organization.findUnique({ where: { slug }, select: { uid: true } });
  if (organization) {
    const role = grant === "owner" || grant === "admin" ? "admin" : "member";
    return { as: "member", organizationId: organization.uid, role, readOnly: grant === "viewer" };
  }
  const isTaken = (await tx.db.nameClaim.findUnique({ where: { name: slug } })) !== null;
  if (grant !== "owner" || isTaken) throw new Refused("organization");
  return { as: "founder", slug };
}

interface Account extends IdentityUser {
  emailVerifiedAt: Date | null;
}

/**
 * Takes an account away from whoever made it: its address was never confirmed, and now somebody shows that it is theirs.
 */
async function clearCredentials(tx: AnonymousCtx, { uid }: Account): Promise<void> {
  const passwordHash = await hashPassword(randomBytes(32).toString("base64url"));
  await tx.db.user.update({ where: { uid }, data: { passwordHash, passwordSet: false } });
  await endUserSessions(tx, uid, null);
  await removeSecondFactor(tx, uid);
  for (const { organizationId } of await tx.db.membership.findMany({ where: { userId: uid } })) {
    await revokeKeysOfUser({ ...tx, organizationId }, uid);
  }
}

/** Joins an account of that address to the identity, and makes it a member of the organization if it is not one. */
async function joinAccount(tx: AnonymousCtx, account: Account, slug: string, claims: IdentityClaims): Promise<void> {
  const known = await tx.db.identity.findFirst({ where: { userId: account.uid, issuer: claims.issuer } });
  if (known) throw new Refused("other_identity");
  const membership = await tx.db.membership.findFirst({
    where: { userId: account.uid, organization: { slug } },
    select: { organizationId: true },
  });
  const place = membership ? null : await findPlace(tx, slug, readGrant(claims));
  if (place?.as === "founder") throw new Refused("organization");
  // A member was let in by the organization itself; of any other account it is unknown who made it.
  if (account.emailVerifiedAt === null && place) await clearCredentials(tx, account);
  await tx.db.user.update({ where: { uid: account.uid }, data: { emailVerifiedAt: databaseNow() } });
  if (place) {
    const { organizationId, role, readOnly = false } = place;
    await tx.db.membership.create({ data: { uid: uuidv7(), organizationId, userId: account.uid, role, readOnly } });
  }
  const organizationId = place?.organizationId ?? membership?.organizationId ?? "";
  await addIdentity(tx, account, organizationId, claims);
}

async function addIdentity(
  tx: AnonymousCtx,
  user: { uid: string; username: string },
  organizationId: string,
  { issuer, subject }: IdentityClaims,
): Promise<void> {
  await tx.db.identity.create({ data: { uid: uuidv7(), userId: user.uid, issuer, subject } });
  const ctx = createMemberContext(tx, user, organizationId, "member");
  const target = { targetType: "user", targetId: user.uid, targetName: user.username };
  await audit(ctx, { action: "user.identity_joined", ...target, after: { issuer } });
}

async function admit(tx: AnonymousCtx, claims: IdentityClaims): Promise<string> {
  const { email, slug } = readAddress(claims);
  const { issuer, subject } = claims;
  // Of several sign-ins of a new person the others find the account of the first.
  await execute(tx, Prisma.sql`select pg_advisory_xact_lock(hashtextextended(${`${issuer} ${subject}`}, 0))`);
  const identity = await tx.db.identity.findUnique({ where: { issuer_subject: { issuer, subject } } });
  if (identity) return identity.userId;
  const account = await tx.db.user.findUnique({ where: { email } });
  if (account) {
    if (account.disabledAt !== null) throw new Refused("disabled");
    await joinAccount(tx, account, slug, claims);
    return account.uid;
  }
  const place = await findPlace(tx, slug, readGrant(claims));
  const names = { first_name: toName(claims.firstName), last_name: toName(claims.lastName) };
  const organizationName = place.as === "founder" ? { organization_name: slug } : {};
  return createAccount(tx, { email, password: null, ...names, ...organizationName }, place, async (made) => {
    await addIdentity(made.ctx, made.user, made.ctx.organizationId, claims);
    return made.user.uid;
  });
}

/**
 * Finds the user of an identity, joins the account of its address, or makes an account, whatever SIGNUP says. The issuer
 * must have confirmed the address, whose domain must be configured.
 */
export const admitIdentity: AdmitIdentity = async (ctx, claims) => {
  try {
    return await transaction(ctx, async (tx) => {
      const uid = await admit(tx, claims);
      const { username, email, sessionVersion, disabledAt } = await tx.db.user.findUniqueOrThrow({ where: { uid } });
      if (disabledAt !== null) throw new Refused("disabled");
      return { user: { uid, username, email, sessionVersion } };
    });
  } catch (error) {
    if (error instanceof Refused) return { refused: error.reason };
    throw error;
  }
};
