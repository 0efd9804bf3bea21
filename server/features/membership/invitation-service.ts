import { randomBytes } from "node:crypto";
import { invitationDays, type CreateInvitation, type InvitationFilters } from "@/domain/organizations/schema";
import { isoTime } from "@/domain/wire-values";
import { audit } from "@/server/features/audit/service";
import { checkReadOnly, lockMembership, requireOwn } from "@/server/features/membership/access-service";
import { columns, formatLink, invitationRow, status, tables } from "@/server/features/membership/invitation-queries";
import type { InvitationResource } from "@/server/features/membership/resource";
import { databaseMs } from "@/server/platform/clock";
import { requireRole, systemContext, type Ctx } from "@/server/platform/context";
import { open, seal, sha256 } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, sql, transaction } from "@/server/platform/db";
import { conflict, invalid, notFound } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { invitationMail } from "@/server/platform/mail/invitation";
import { mayMailOthers } from "@/server/platform/mail/others";
import type { Mail } from "@/server/platform/mail/send";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { type Native, text, type Wire } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const lifeMs = invitationDays * 24 * 60 * 60_000;
const expiry = () => new Date(databaseMs() + lifeMs);
/** The row that an invitation's token is sealed for. */
export const invitationTokenOwner = (uid: string, organizationId: string): string =>
  `invitation:${organizationId}:${uid}`;

type Row = Wire<typeof invitationRow> | Native<typeof invitationRow>;

function serializeInvitation(row: Row): InvitationResource {
  const { organization_id: organizationId, token_sealed: sealed, ...rest } = row;
  const link =
    row.status === "pending" ? formatLink(open(sealed, invitationTokenOwner(row.uid, organizationId))) : null;
  return {
    ...rest,
    expires_at: isoTime(row.expires_at),
    created_at: isoTime(row.created_at),
    is_expired: row.status === "expired",
    accept_url: link,
    copy_link: link,
  };
}

async function readInvitation(ctx: Ctx, uid: string): Promise<InvitationResource> {
  const [row] = await query(
    ctx,
    invitationRow,
    Prisma.sql`select ${columns} from ${tables} where i.uid = ${uid} and i.organization_id = ${ctx.organizationId}`,
  );
  if (!row) throw notFound();
  return serializeInvitation(row);
}

/** The invitations of the caller's organization, newest first. Admins and the owner only. */
export async function listInvitations(
  ctx: Ctx,
  slug: string,
  filters: InvitationFilters,
): Promise<Page<InvitationResource>> {
  requireRole(ctx, "admin");
  await requireOwn(ctx, slug);
  const { limit, cursor, ...narrow } = filters;
  return keysetPage<InvitationResource>(ctx, {
    name: "invitations",
    filters: narrow,
    page: { limit, cursor },
    order: { columns: ["i.uid"], direction: "desc" },
    key: (row) => [row.uid],
    fetch: async ({ where, orderBy, limit: rows }) =>
      (
        await sql(
          invitationRow,
          Prisma.sql`
          select ${columns} from ${tables}
          where i.organization_id = ${ctx.organizationId} and ${where}
          ${narrow.status ? Prisma.sql`and ${status} = any(${narrow.status})` : Prisma.empty}
          order by ${orderBy} limit ${rows}`,
        )
      ).map(serializeInvitation),
  });
}

const alreadyInvited = () => conflict("An invitation for this email address already exists.");

/** Refuses (409) an address that has a pending invitation besides `except`, or belongs to a member. */
async function refuseDuplicate(tx: Ctx, email: string, except = ""): Promise<void> {
  const taken = await query(
    tx,
    { uid: text },
    Prisma.sql`
      select i.uid from invitations i where i.organization_id = ${tx.organizationId} and i.email = ${email}
        and ${status} = 'pending' and i.uid <> ${except}
      union all
      select m.uid from memberships m join users u on u.uid = m.user_id
      where m.organization_id = ${tx.organizationId} and u.email = ${email} limit 1`,
  );
  if (taken.length > 0) throw alreadyInvited();
}

/** Queues the mail of an invitation. The job opens the link: no queued job contains it. */
async function queueMail(tx: Ctx, uid: string): Promise<void> {
  if (!(await mayMailOthers(tx))) return; // the link can be copied
  const payload = { organizationId: tx.organizationId, invitationId: uid, inviter: tx.actor.username };
  await enqueue(tx, jobs.mailInvitation, payload, { key: `invitation-mail:${uid}` });
}

/** The mail of an invitation; null when it is not pending any more. */
export async function composeInvitationMail(
  organizationId: string,
  uid: string,
  inviter: string | null,
): Promise<Mail | null> {
  const ctx = systemContext(prisma, organizationId);
  const [invitation] = await query(
    ctx,
    { ...invitationRow, organization_name: text },
    Prisma.sql`select ${columns}, o.name as organization_name
      from ${tables} join organizations o on o.uid = i.organization_id
      where i.uid = ${uid} and i.organization_id = ${organizationId} and o.deletes_at is null`,
  );
  const link = invitation && serializeInvitation(invitation).copy_link;
  if (!link) return null;
  const { email, role, organization_name: organizationName } = invitation;
  return { to: email, ...invitationMail({ organizationName, role, inviter, link, days: invitationDays }) };
}

/**
 * Invites an address, by mail, for 7 days. Admins and the owner only. Throws `conflict` when the address has a pending
 * invitation or belongs to a member, and `invalid("read_only")` for an admin.
 */
export async function invite(
  ctx: Ctx,
  slug: string,
  { email, role, read_only: readOnly = false }: CreateInvitation,
): Promise<InvitationResource> {
  requireRole(ctx, "admin");
  await requireOwn(ctx, slug);
  checkReadOnly(role, readOnly);
  return transaction(ctx, async (tx) => {
    await lockMembership(tx, "admin");
    await refuseDuplicate(tx, email);
    const uid = uuidv7();
    const token = randomBytes(32).toString("base64url");
    await tx.db.invitation.create({
      data: {
        uid,
        organizationId: tx.organizationId,
        email,
        role,
        readOnly,
        tokenHash: sha256(token),
        tokenSealed: seal(token, invitationTokenOwner(uid, tx.organizationId)),
        invitedById: tx.actor.userId,
        expiresAt: expiry(),
      },
    });
    await queueMail(tx, uid);
    await audit(tx, {
      action: "invitation.created",
      targetType: "invitation",
      targetId: uid,
      targetName: email,
      after: { email, role, read_only: readOnly },
    });
    await announce(tx, "member", uid, "created");
    return readInvitation(tx, uid);
  });
}

/**
 * Reads an invitation under the lock. Throws `not_found`, or `invalid("status")` when its status is not one of
 * `states`.
 */
async function openInvitation(tx: Ctx, uid: string, states: readonly string[]): Promise<InvitationResource> {
  const invitation = await readInvitation(tx, uid);
  if (!states.includes(invitation.status)) throw invalid("status", `This invitation is ${invitation.status}.`);
  return invitation;
}

/**
 * Mails a pending or expired invitation again, valid for another 7 days. An expired one gets a new link. Throws
 * `invalid("status")` for one that was accepted or cancelled.
 */
export async function resendInvitation(ctx: Ctx, slug: string, uid: string): Promise<InvitationResource> {
  requireRole(ctx, "admin");
  await requireOwn(ctx, slug);
  return transaction(ctx, async (tx) => {
    await lockMembership(tx, "admin");
    const before = await openInvitation(tx, uid, ["pending", "expired"]);
    await refuseDuplicate(tx, before.email, uid);
    const token =
      before.copy_link?.slice(before.copy_link.lastIndexOf("/") + 1) ?? randomBytes(32).toString("base64url");
    await tx.db.invitation.update({
      where: { uid },
      data: {
        status: "pending",
        expiresAt: expiry(),
        tokenHash: sha256(token),
        tokenSealed: seal(token, invitationTokenOwner(uid, tx.organizationId)),
      },
    });
    await queueMail(tx, uid);
    await audit(tx, { action: "invitation.resent", targetType: "invitation", targetId: uid, targetName: before.email });
    await announce(tx, "member", uid, "updated");
    return readInvitation(tx, uid);
  });
}

/** Cancels a pending or expired invitation, which invalidates its link. Throws `invalid("status")` otherwise. */
export async function cancelInvitation(ctx: Ctx, slug: string, uid: string): Promise<void> {
  requireRole(ctx, "admin");
  await requireOwn(ctx, slug);
  await transaction(ctx, async (tx) => {
    await lockMembership(tx, "admin");
    const before = await openInvitation(tx, uid, ["pending", "expired"]);
    await tx.db.invitation.update({ where: { uid }, data: { status: "cancelled" } });
    await audit(tx, {
      action: "invitation.cancelled",
      targetType: "invitation",
      targetId: uid,
      targetName: before.email,
    });
    await announce(tx, "member", uid, "deleted");
  });
}

/** Marks expired invitations of every organization. Returns how many there were. */
export const expireInvitations = (): Promise<number> =>
  execute(
    { db: prisma },
    Prisma.sql`update invitations set status = 'expired' where status = 'pending' and expires_at <= now()`,
  );
