import type { CreateUser } from "@/domain/organizations/schema";
import type { Admission } from "@/server/features/accounts/admission-service";
import { hashNewPassword } from "@/server/features/accounts/new-password-service";
import { removeSecondFactor } from "@/server/features/accounts/second-factor-service";
import { endUserSessions } from "@/server/features/accounts/session-service";
import { createAccount } from "@/server/features/accounts/signup-service";
import { audit, type AuditRecord } from "@/server/features/audit/service";
import { databaseNow } from "@/server/platform/clock";
import { systemContext, type AnonymousCtx, type Ctx } from "@/server/platform/context";
import { prisma, transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";

/** A user with all their organizations, for the operator of the installation. */
export interface KnownUser {
  uid: string;
  username: string;
  email: string;
  staff: boolean;
  organizations: { uid: string; slug: string }[];
}

/** The user with that username or e-mail address, in any organization, or null. For the command line only. */
export async function findUser(nameOrEmail: string): Promise<KnownUser | null> {
  const wanted = nameOrEmail.trim().toLowerCase();
  const user = await prisma.user.findFirst({
    where: wanted.includes("@") ? { email: wanted } : { username: wanted },
    include: {
      memberships: { orderBy: { uid: "asc" }, include: { organization: { select: { uid: true, slug: true } } } },
    },
  });
  if (!user) return null;
  const { uid, username, email, isStaff, memberships } = user;
  return { uid, username, email, staff: isStaff, organizations: memberships.map(({ organization }) => organization) };
}

/** The organization a key belongs to; null for an unknown uid. For the command line only. */
export async function organizationOfKey(
  key: { uid: string } | { hash: string },
): Promise<{ uid: string; organizationId: string } | null> {
  return prisma.apiKey.findUnique({
    where: "uid" in key ? { uid: key.uid } : { hash: key.hash },
    select: { uid: true, organizationId: true },
  });
}

/** Writes an audit entry about a user in every organization they are in. */
async function auditUser(
  tx: Pick<Ctx, "db">,
  user: KnownUser,
  by: string,
  record: Pick<AuditRecord, "action" | "before" | "after">,
): Promise<void> {
  const target = { targetType: "user", targetId: user.uid, targetName: user.username };
  for (const { uid } of user.organizations) await audit(systemContext(tx.db, uid, by), { ...record, ...target });
}

/** Grants or revokes a user's staff access to the installation; audited in every organization the user is in. */
export async function setStaff(user: KnownUser, staff: boolean, by: string): Promise<void> {
  await transaction({ db: prisma }, async (tx) => {
    await tx.db.user.update({ where: { uid: user.uid }, data: { isStaff: staff } });
    const action = staff ? "user.made_staff" : "user.staff_ended";
    await auditUser(tx, user, by, { action, before: { staff: user.staff }, after: { staff } });
  });
}

/** Disables a user (sessions end, keys are refused) or enables them again. For the command line only. */
export async function setDisabled(user: KnownUser, disabled: boolean, by: string): Promise<void> {
  await transaction({ db: prisma }, async (tx) => {
    await tx.db.user.update({ where: { uid: user.uid }, data: { disabledAt: disabled ? databaseNow() : null } });
    if (disabled) await endUserSessions(tx, user.uid, null);
    await auditUser(tx, user, by, { action: disabled ? "user.disabled" : "user.enabled" });
  });
}

/** Sets a user's password and ends their sessions. Throws `invalid("password")`. For the command line only. */
export async function setPassword(user: KnownUser, password: string, by: string): Promise<void> {
  const passwordHash = await hashNewPassword("password", password, [user.email, user.username]);
  await transaction({ db: prisma }, async (tx) => {
    await tx.db.user.update({ where: { uid: user.uid }, data: { passwordHash, passwordSet: true } });
    await endUserSessions(tx, user.uid, null);
    await auditUser(tx, user, by, { action: "user.password_reset" });
  });
}

/**
 * Removes a user's second factor and ends their sessions. Returns whether there was one. For the command line only.
 */
export function resetSecondFactor(user: KnownUser, by: string): Promise<boolean> {
  return transaction({ db: prisma }, async (tx) => {
    if (!(await removeSecondFactor(tx, user.uid))) return false;
    await endUserSessions(tx, user.uid, null);
    await auditUser(tx, user, by, { action: "user.second_factor_reset" });
    return true;
  });
}

/** Separates a user from their identities at issuers. Returns how many they had. For the command line only. */
export function removeIdentities(user: KnownUser, by: string): Promise<number> {
  return transaction({ db: prisma }, async (tx) => {
    const { count } = await tx.db.identity.deleteMany({ where: { userId: user.uid } });
    if (count > 0) await auditUser(tx, user, by, { action: "user.identity_removed" });
    return count;
  });
}

/** A user as the operator sees them in the list. */
export interface ListedUser {
  uid: string;
  username: string;
  email: string;
  staff: boolean;
  disabled: boolean;
  email_verified: boolean;
  organizations: { slug: string; role: string }[];
}

/** The next 500 users after a uid, of every organization. For the command line only. */
export async function listUsers(after: string): Promise<ListedUser[]> {
  const users = await prisma.user.findMany({
    where: { uid: { gt: after } },
    orderBy: { uid: "asc" },
    take: 500,
    include: { memberships: { orderBy: { uid: "asc" }, include: { organization: { select: { slug: true } } } } },
  });
  return users.map((user) => ({
    uid: user.uid,
    username: user.username,
    email: user.email,
    staff: user.isStaff,
    disabled: user.disabledAt !== null,
    email_verified: user.emailVerifiedAt !== null,
    organizations: user.memberships.map(({ role, organization }) => ({ slug: organization.slug, role })),
  }));
}

/**
 * Creates a user whose address counts as confirmed, in the organization with that slug or one of their own. Throws
 * `invalid` for an address that is taken, a common password and an unknown organization. For the command line only.
 */
export async function createUser(
  input: CreateUser,
  organizationSlug: string | null,
  by: string,
): Promise<{ username: string; organization: string; role: string }> {
  const { role, ...account } = input;
  const ctx: AnonymousCtx = { db: prisma, ip: null, requestId: null };
  const slug = organizationSlug ?? undefined;
  const organization =
    slug === undefined ? null : await prisma.organization.findUnique({ where: { slug, deletesAt: null } });
  if (slug !== undefined && !organization) throw invalid([], `There is no organization "${slug}".`);
  const admission: Admission = organization
    ? { as: "member", organizationId: organization.uid, role }
    : { as: "anyone" };
  return createAccount(ctx, account, admission, async ({ user, ctx: tx }) => {
    await tx.db.user.update({ where: { uid: user.uid }, data: { emailVerifiedAt: databaseNow() } });
    const own = await tx.db.organization.findUniqueOrThrow({ where: { uid: tx.organizationId } });
    const target = { targetType: "user", targetId: user.uid, targetName: user.username };
    await audit(systemContext(tx.db, own.uid, by), { action: "user.created", ...target });
    return { username: user.username, organization: own.slug, role: organization ? role : "owner" };
  });
}
