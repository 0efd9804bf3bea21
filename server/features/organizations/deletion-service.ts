import { deletionDays, type DeleteOrganization } from "@/domain/organizations/schema";
import { roles } from "@/domain/permissions";
import { audit } from "@/server/features/audit/service";
import { lockMembership, requireOwn, requireUser } from "@/server/features/membership/access-service";
import { createMemberContext } from "@/server/features/membership/founding-service";
import type { DeletedOrganization, OrganizationResource } from "@/server/features/organizations/resource";
import { getOrganization } from "@/server/features/organizations/service";
import { requireRole, type Ctx, type PersonCtx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { conflict, invalid, notFound } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { organizationDeletionMail } from "@/server/platform/mail/organization-deletion";
import type { Mail } from "@/server/platform/mail/send";
import { bool, notNull, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";

const toTarget = ({ uid, name }: { uid: string; name: string }) => ({
  targetType: "organization",
  targetId: uid,
  targetName: name,
});

/**
 * Has the organization deleted in seven days, until which its owner can take that back. From now on its keys, tokens
 * and sessions are refused and nothing is sent. Owner only. Throws `invalid("confirm_name")` for another name.
 */
export async function deleteOrganization(ctx: Ctx, slug: string, input: DeleteOrganization): Promise<void> {
  requireRole(ctx, "owner");
  await requireOwn(ctx, slug);
  await transaction(ctx, async (tx) => {
    const organization = await lockMembership(tx, "owner");
    if (input.confirm_name.trim() !== organization.name.trim()) {
      throw invalid("confirm_name", "This is not the name of the organization.");
    }
    const [marked] = await query(
      tx,
      { deletes_at: notNull(timestamptz) },
      Prisma.sql`update organizations set deletes_at = now() + make_interval(days => ${deletionDays}::int), updated_at = now()
        where uid = ${tx.organizationId} and deletes_at is null returning deletes_at`,
    );
    if (!marked) throw notFound(); // by a concurrent call
    const after = { deletes_at: marked.deletes_at.toISOString() };
    await audit(tx, { action: "organization.deletion_requested", ...toTarget(organization), after });
    await enqueue(tx, jobs.mailDeletion, { organizationId: tx.organizationId, by: tx.actor.username ?? tx.actor.name });
  });
}

/** The mail about a deletion, to the owner; null when it was taken back, or the owner has no account any more. */
export async function composeDeletionMail(organizationId: string, by: string): Promise<Mail | null> {
  const [row] = await query(
    { db: prisma },
    { name: text, deletes_at: notNull(timestamptz), email: text },
    Prisma.sql`select o.name, o.deletes_at, u.email from organizations o
      join memberships m on m.organization_id = o.uid and m.role = 'owner' join users u on u.uid = m.user_id
      where o.uid = ${organizationId} and o.deletes_at > now()`,
  );
  if (!row) return null;
  const { name: organizationName, deletes_at: deletesAt, email } = row;
  const link = `${env.PUBLIC_URL}/organizations`;
  return { to: email, ...organizationDeletionMail({ organizationName, by, deletesAt, link }) };
}

/** The organizations of the caller that they are having deleted, the first due first; at most 100. */
export async function listDeletions(ctx: PersonCtx): Promise<DeletedOrganization[]> {
  const rows = await query(
    ctx,
    { uid: text, name: text, slug: text, deletes_at: notNull(timestamptz) },
    Prisma.sql`select o.uid, o.name, o.slug, o.deletes_at from memberships m
      join organizations o on o.uid = m.organization_id
      where m.user_id = ${requireUser(ctx).uid} and m.role = 'owner' and o.deletes_at is not null
      order by o.deletes_at, o.uid limit 100`,
  );
  return rows.map((row) => ({ ...row, deletes_at: row.deletes_at.toISOString() }));
}

const membershipRow = {
  uid: text,
  name: text,
  role: oneOf(roles),
  deletes_at: nullable(timestamptz),
  due: nullable(bool),
};

/**
 * Takes the deletion of one of the caller's organizations back, so that keys, tokens and sessions work again and what
 * waited is sent. Throws `not_found` unless the caller owns it, and `conflict` when it is not being deleted, or already
 * is.
 */
export async function restoreOrganization(ctx: PersonCtx, slug: string): Promise<OrganizationResource> {
  const user = requireUser(ctx);
  return transaction(ctx, async (tx) => {
    const [found] = await query(
      tx,
      membershipRow,
      Prisma.sql`select o.uid, o.name, m.role, o.deletes_at, o.deletes_at <= now() as due from organizations o
        join memberships m on m.organization_id = o.uid
        where o.slug = ${slug} and m.user_id = ${user.uid} for no key update of o`,
    );
    if (!found || (found.deletes_at !== null && found.role !== "owner")) throw notFound();
    if (found.deletes_at === null) throw conflict("This organization is not being deleted.");
    if (found.due === true) throw conflict("It is too late: its data are being removed.");
    await execute(
      tx,
      Prisma.sql`update organizations set deletes_at = null, updated_at = now() where uid = ${found.uid}`,
    );
    // The actor is the key of another organization by which the owner acts, if they use one.
    const restored = { ...createMemberContext(tx, user, found.uid, "owner"), actor: tx.actor };
    const before = { deletes_at: found.deletes_at.toISOString() };
    await audit(restored, { action: "organization.deletion_taken_back", ...toTarget(found), before });
    return getOrganization(restored, slug);
  });
}
