import type { AcceptInvitation } from "@/domain/organizations/schema";
import type { Role } from "@/domain/permissions";
import { audit } from "@/server/features/audit/service";
import { requireUser } from "@/server/features/membership/access-service";
import { createMemberContext } from "@/server/features/membership/founding-service";
import { readByToken } from "@/server/features/membership/invitation-queries";
import type { AcceptedInvitation, InvitationPreview } from "@/server/features/membership/resource";
import { databaseNow } from "@/server/platform/clock";
import type { AnonymousCtx, PersonCtx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, transaction } from "@/server/platform/db";
import { conflict, forbidden } from "@/server/platform/errors";
import { announce } from "@/server/platform/realtime/changes";
import { uuidv7 } from "@/server/platform/uid";

/** What the page behind an invitation's link shows, to anyone who has the link. Throws `not_found`. */
export async function previewInvitation(ctx: AnonymousCtx, token: string): Promise<InvitationPreview> {
  const { organization_id: _, ...invitation } = await readByToken(ctx, token);
  const account = await ctx.db.user.findUnique({ where: { email: invitation.invited_email }, select: { uid: true } });
  return { ...invitation, has_account: account !== null };
}

/**
 * Makes a user a member of the inviting organization, in the transaction of `tx`. The invited address must be both
 * `stated` and the user's own (else `forbidden`); of concurrent calls one succeeds, the others get `not_found`.
 */
async function join(
  tx: AnonymousCtx & Partial<Pick<PersonCtx, "actor">>,
  user: { uid: string; username: string },
  token: string,
  stated?: string,
): Promise<{ organizationId: string; invitation: AcceptedInvitation }> {
  const { organization_id: organizationId } = await readByToken(tx, token);
  await execute(tx, Prisma.sql`select 1 from organizations where uid = ${organizationId} for no key update`);
  const { organization_id: _, ...invitation } = await readByToken(tx, token);
  const { email } = await tx.db.user.findUniqueOrThrow({ where: { uid: user.uid }, select: { email: true } });
  if (invitation.invited_email !== (stated ?? email) || invitation.invited_email !== email) throw forbidden();
  const { role, read_only: readOnly } = invitation;
  const member = { organizationId_userId: { organizationId, userId: user.uid } };
  if (await tx.db.membership.findUnique({ where: member }))
    throw conflict("You are already a member of this organization.");
  await tx.db.invitation.update({
    where: { uid: invitation.uid },
    data: { status: "accepted", acceptedAt: databaseNow() },
  });
  const uid = uuidv7();
  await tx.db.membership.create({ data: { uid, organizationId, userId: user.uid, role, readOnly } });
  // The actor is the key by which a user accepts, if they use one.
  const ctx = { ...createMemberContext(tx, user, organizationId, role), ...(tx.actor && { actor: tx.actor }) };
  await audit(ctx, {
    action: "invitation.accepted",
    targetType: "invitation",
    targetId: invitation.uid,
    targetName: email,
    after: { member: uid, username: user.username, role, read_only: readOnly },
  });
  await announce(ctx, "member", uid, "created");
  return { organizationId, invitation: { ...invitation, status: "accepted" } };
}

/** Accepts an invitation as the caller, whose own address and the body's must be the invited one. Throws like `join`. */
export function acceptInvitation(
  ctx: PersonCtx,
  token: string,
  { invited_email: invitedEmail }: AcceptInvitation,
): Promise<AcceptedInvitation> {
  const user = requireUser(ctx);
  return transaction(ctx, async (tx) => (await join(tx, user, token, invitedEmail)).invitation);
}

/** Accepts an invitation as a user whom the transaction of `tx` creates. Throws like `join`. */
export async function joinByInvitation(
  tx: AnonymousCtx,
  user: { uid: string; username: string },
  token: string,
): Promise<{ organizationId: string; role: Role }> {
  const { organizationId, invitation } = await join(tx, user, token);
  return { organizationId, role: invitation.role };
}
