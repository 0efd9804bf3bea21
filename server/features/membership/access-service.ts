import type { Role } from "@/domain/permissions";
import { hasRole } from "@/domain/permissions";
import type { Ctx, PersonCtx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { forbidden, invalid, notFound } from "@/server/platform/errors";
import { text } from "@/server/platform/rows";

/**
 * Throws `not_found` unless `slug` is the organization of the context: other organizations are invisible to a key or
 * session.
 */
export async function requireOwn(ctx: Ctx, slug: string): Promise<void> {
  const own = await ctx.db.organization.findFirst({ where: { uid: ctx.organizationId, slug }, select: { uid: true } });
  if (!own) throw notFound();
}

/**
 * Locks the organization's membership until the transaction ends and checks that the caller still has the role, so that
 * changes of members, invitations and ownership are serialized. Inserting other rows is not blocked.
 */
export async function lockMembership(tx: Ctx, role: Role): Promise<{ uid: string; name: string; slug: string }> {
  const [organization] = await query(
    tx,
    { uid: text, name: text, slug: text },
    Prisma.sql`select uid, name, slug from organizations where uid = ${tx.organizationId} for no key update`,
  );
  if (!organization) throw notFound();
  if (tx.actor.type === "system") return organization;
  const membership = await tx.db.membership.findUnique({
    where: { organizationId_userId: { organizationId: tx.organizationId, userId: tx.actor.userId ?? "" } },
    select: { role: true },
  });
  const current = { ...tx.permissions, role: (membership?.role as Role | undefined) ?? null };
  if (!hasRole(current, role)) throw forbidden();
  return organization;
}

/** A member by the uid or username that a body has in `field`. Throws `invalid(field)` for others. */
export async function namedMember(
  tx: Ctx,
  field: string,
  user: string,
): Promise<{ uid: string; username: string; email: string; role: string }> {
  const found = await tx.db.membership.findFirst({
    where: { organizationId: tx.organizationId, user: { OR: [{ uid: user }, { username: user }] } },
    select: { role: true, user: { select: { uid: true, username: true, email: true } } },
  });
  if (!found) throw invalid(field, `"${user}" is not a member.`);
  return { ...found.user, role: found.role };
}

/** Throws `invalid("read_only")` for an admin who could only view. */
export function checkReadOnly(role: Role, readOnly: boolean): void {
  if (readOnly && role !== "member") throw invalid("read_only", "Only members can be read-only.");
}

/** The user behind a call. Throws `forbidden` for devices and the platform itself. */
export function requireUser(ctx: Pick<PersonCtx, "actor">): { uid: string; username: string } {
  const { userId, username } = ctx.actor;
  if (userId === null || username === null) throw forbidden();
  return { uid: userId, username };
}
