import { randomBytes } from "node:crypto";
import type { MemberFilters, UpdateMember } from "@/domain/organizations/schema";
import { hasRole, roles } from "@/domain/permissions";
import { revokeKeysOfUser } from "@/server/features/api-keys/issue-service";
import { audit } from "@/server/features/audit/service";
import { checkReadOnly, lockMembership, requireOwn, requireUser } from "@/server/features/membership/access-service";
import { unassignEverywhere } from "@/server/features/membership/assignment-service";
import { claimName, foundOrganization } from "@/server/features/membership/founding-service";
import { endLostWork } from "@/server/features/membership/lost-access-service";
import type { MemberResource } from "@/server/features/membership/resource";
import { confirmedFactor } from "@/server/platform/auth/second-factor";
import { requireRole, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, toOrder, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { bool, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";

/** Which members have no second factor is for admins only. */
const getColumns = (ctx: Ctx) => Prisma.sql`
  m.uid, m.user_id as user_uid, u.username, u.email, u.first_name, u.last_name, m.role, m.read_only, m.last_active_at,
  m.joined_at, case when ${hasRole(ctx.permissions, "admin")} then exists (select from second_factors f
    where f.user_id = u.uid and ${Prisma.raw(confirmedFactor)}) end as second_factor`;
const memberRow = {
  uid: text,
  user_uid: text,
  username: text,
  email: text,
  first_name: text,
  last_name: text,
  role: oneOf(roles),
  read_only: bool,
  second_factor: nullable(bool),
  last_active_at: nullable(timestamptz),
  joined_at: timestamptz,
};

const orders = {
  username: { column: "u.username", key: (row: MemberResource) => row.username },
  email: { column: "u.email", key: (row: MemberResource) => row.email },
  role: { column: "m.role", key: (row: MemberResource) => row.role },
};

/** The members of the caller's organization, ordered by joining time by default. Throws `not_found`. */
export async function listMembers(ctx: Ctx, slug: string, filters: MemberFilters): Promise<Page<MemberResource>> {
  await requireOwn(ctx, slug);
  const { limit, cursor, ordering = "joined_at" } = filters;
  const search = filters.search && likeText(filters.search.trim());
  return keysetPage<MemberResource>(ctx, {
    name: "members",
    filters: { search },
    page: { limit, cursor },
    ...toOrder(ordering, "m.uid", orders),
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        memberRow,
        Prisma.sql`
        select ${getColumns(ctx)} from memberships m join users u on u.uid = m.user_id
        where m.organization_id = ${ctx.organizationId} and ${where}
        ${search ? Prisma.sql`and (u.username ilike ${`%${search}%`} or u.email ilike ${`%${search}%`})` : Prisma.empty}
        order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** One member of the caller's organization. Throws `not_found`. */
export async function getMember(ctx: Ctx, slug: string, uid: string): Promise<MemberResource> {
  await requireOwn(ctx, slug);
  return readMember(ctx, uid);
}

async function readMember(ctx: Ctx, uid: string): Promise<MemberResource> {
  const [row] = await query(
    ctx,
    memberRow,
    Prisma.sql`select ${getColumns(ctx)} from memberships m join users u on u.uid = m.user_id
      where m.uid = ${uid} and m.organization_id = ${ctx.organizationId}`,
  );
  if (!row) throw notFound();
  return { ...row, last_active_at: row.last_active_at?.toISOString() ?? null, joined_at: row.joined_at.toISOString() };
}

const target = (member: MemberResource) => ({
  targetType: "member",
  targetId: member.uid,
  targetName: member.username,
});

/**
 * Gives a member another role, or makes them read-only, effective from their next request. An admin is never read-only.
 * Throws `invalid("role")` for the owner, and `invalid("read_only")`.
 */
export async function changeRole(ctx: Ctx, slug: string, uid: string, input: UpdateMember): Promise<MemberResource> {
  requireRole(ctx, "admin");
  await requireOwn(ctx, slug);
  return transaction(ctx, async (tx) => {
    await lockMembership(tx, "admin");
    const member = await readMember(tx, uid);
    const { role = member.role } = input;
    const readOnly = input.read_only ?? (role === "member" && member.read_only);
    if (member.role === role && member.read_only === readOnly) return member;
    if (member.role === "owner") throw invalid("role", "The owner's role changes only by a transfer of ownership.");
    checkReadOnly(role, readOnly);
    await tx.db.membership.update({ where: { uid }, data: { role, readOnly } });
    await endLostWork(tx);
    await audit(tx, {
      action: "member.role_changed",
      ...target(member),
      before: { role: member.role, read_only: member.read_only },
      after: { role, read_only: readOnly },
    });
    await announce(tx, "member", uid, "updated");
    return readMember(tx, uid);
  });
}

/** Removes a member and revokes their keys in the organization. The owner cannot be removed (400). */
export async function removeMember(ctx: Ctx, slug: string, uid: string): Promise<void> {
  requireRole(ctx, "admin");
  await requireOwn(ctx, slug);
  await transaction(ctx, async (tx) => {
    await lockMembership(tx, "admin");
    const member = await readMember(tx, uid);
    if (member.role === "owner") throw invalid([], "The owner cannot be removed.");
    await end(tx, member, "member.removed");
  });
}

/**
 * Ends the caller's own membership and revokes their keys there. The owner has to transfer the ownership first (400).
 */
export async function leaveOrganization(ctx: Ctx, slug: string): Promise<void> {
  const user = requireUser(ctx);
  await requireOwn(ctx, slug);
  await transaction(ctx, async (tx) => {
    await lockMembership(tx, "member");
    const own = await tx.db.membership.findUniqueOrThrow({
      where: { organizationId_userId: { organizationId: tx.organizationId, userId: user.uid } },
    });
    const member = await readMember(tx, own.uid);
    if (member.role === "owner") {
      throw invalid([], "The owner cannot leave. Transfer the ownership first.");
    }
    await end(tx, member, "member.left");
  });
}

async function end(tx: Ctx, member: MemberResource, action: string): Promise<void> {
  await tx.db.membership.delete({ where: { uid: member.uid } });
  await unassignEverywhere(tx, member.user_uid);
  await execute(
    tx,
    Prisma.sql`update rules set owner_id = null
      where organization_id = ${tx.organizationId} and owner_id = ${member.user_uid}`,
  );
  await endLostWork(tx);
  const keys = await revokeKeysOfUser(tx, member.user_uid);
  await audit(tx, { action, ...target(member), before: { role: member.role, email: member.email, active_keys: keys } });
  await announce(tx, "member", member.uid, "deleted");
  // So that they have an organization to act in, which one that is being deleted is not.
  const active = { userId: member.user_uid, organization: { deletesAt: null } };
  if (await tx.db.membership.findFirst({ where: active, select: { uid: true } })) return;
  const slug = await claimName(tx, `${member.username.slice(0, 50)}-${randomBytes(2).toString("hex")}`);
  await foundOrganization(tx, { uid: member.user_uid, username: member.username }, { name: member.username, slug });
}

/**
 * Makes another member the owner; the previous owner becomes an admin. Owner only; of concurrent transfers one
 * succeeds. Throws `not_found` when the uid is not a member.
 */
export async function transferOwnership(ctx: Ctx, uid: string): Promise<MemberResource> {
  requireRole(ctx, "owner");
  return transaction(ctx, async (tx) => {
    await lockMembership(tx, "owner");
    const member = await readMember(tx, uid);
    if (member.role === "owner") return member;
    const owners = { organizationId: tx.organizationId, role: "owner" };
    const before = await tx.db.membership.findFirstOrThrow({ where: owners, include: { user: true } });
    await tx.db.membership.updateMany({ where: owners, data: { role: "admin" } });
    await tx.db.membership.update({ where: { uid }, data: { role: "owner", readOnly: false } });
    await audit(tx, {
      action: "organization.ownership_transferred",
      targetType: "organization",
      targetId: tx.organizationId,
      targetName: member.username,
      before: { owner: before.user.username },
      after: { owner: member.username },
    });
    await announce(tx, "member", uid, "updated");
    await announce(tx, "member", before.uid, "updated");
    return readMember(tx, uid);
  });
}
