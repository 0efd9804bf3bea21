import { randomBytes } from "node:crypto";
import type { ResetPassword } from "@/domain/organizations/schema";
import type { Role } from "@/domain/permissions";
import { hashNewPassword } from "@/server/features/accounts/new-password-service";
import { endUserSessions } from "@/server/features/accounts/session-service";
import { audit } from "@/server/features/audit/service";
import { requireUser } from "@/server/features/membership/access-service";
import { createMemberContext } from "@/server/features/membership/founding-service";
import { databaseMs, databaseNow } from "@/server/platform/clock";
import type { AnonymousCtx, Ctx } from "@/server/platform/context";
import { sha256 } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { conflict, invalid } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { accountLinkMail, type LinkPurpose } from "@/server/platform/mail/account-link";
import { noticeAccountChange } from "@/server/platform/mail/account-notice";
import { sendMail, sendsMail } from "@/server/platform/mail/send";
import { int4, text } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const lifeMinutes: Record<LinkPurpose, number> = { reset: 30, verify: 3 * 24 * 60 };
const paths: Record<LinkPurpose, string> = { reset: "reset-password", verify: "verify-email" };
/** Mails of this kind to one account within an hour; more would only fill the mailbox of somebody else. */
const maxHourlyMails = 5;

const noMail = () => conflict("No mail can be sent from this installation.");

/**
 * Queues a mail with a link to set a new password. Responds alike whether or not the address has an account, which only
 * the job looks up. Throws `conflict` without a mail server.
 */
export async function requestPasswordReset(ctx: AnonymousCtx, email: string): Promise<void> {
  if (!sendsMail()) throw noMail();
  await enqueue(ctx, jobs.mailAccountLink, { email, purpose: "reset" });
}

/** Queues a mail with a link to confirm the address of a new account, where mail can be sent. */
export async function queueVerification(ctx: Pick<Ctx, "db">, email: string): Promise<void> {
  if (sendsMail()) await enqueue(ctx, jobs.mailAccountLink, { email, purpose: "verify" });
}

/** Sends the caller the mail to confirm their address once more. Throws `conflict` without a mail server. */
export async function requestVerification(ctx: Ctx): Promise<void> {
  const { uid } = requireUser(ctx);
  if (!sendsMail()) throw noMail();
  const { email, emailVerifiedAt } = await ctx.db.user.findUniqueOrThrow({ where: { uid } });
  if (emailVerifiedAt === null) await queueVerification(ctx, email);
}

/**
 * Makes a link and mails it. Only its hash is stored and a repeated attempt makes another one, so that the token is in
 * the mail alone. Earlier links of the same purpose become invalid. Returns false when nothing was sent.
 */
export async function mailAccountLink(email: string, purpose: LinkPurpose): Promise<boolean> {
  const token = randomBytes(32).toString("base64url");
  const made = await transaction({ db: prisma }, async (tx) => {
    const [user] = await query(
      tx,
      { uid: text, recent: int4 },
      Prisma.sql`
        select u.uid, (select count(*)::int from mail_links l where l.user_id = u.uid
          and l.created_at > now() - interval '1 hour') as recent
        from users u where u.email = ${email} and u.disabled_at is null
          and (${purpose} = 'reset' or u.email_verified_at is null)
        for no key update`,
    );
    if (!user || user.recent >= maxHourlyMails) return false;
    await execute(
      tx,
      Prisma.sql`update mail_links set expires_at = now() where user_id = ${user.uid} and purpose = ${purpose}
        and used_at is null and expires_at > now()`,
    );
    const expiresAt = new Date(databaseMs() + lifeMinutes[purpose] * 60_000);
    await tx.db.mailLink.create({
      data: { uid: uuidv7(), userId: user.uid, purpose, email, tokenHash: sha256(token), expiresAt },
    });
    return true;
  });
  if (made) {
    const link = `${env.PUBLIC_URL}/${paths[purpose]}/${token}`;
    await sendMail({ to: email, ...accountLinkMail(purpose, link) });
  }
  return made;
}

const isValid = (token: string, purpose: LinkPurpose) => Prisma.sql`
  l.token_hash = ${sha256(token)} and l.purpose = ${purpose} and l.used_at is null and l.expires_at > now()
  and exists (select from users u where u.uid = l.user_id and u.email = l.email and u.disabled_at is null)`;

/** The address that a valid link was mailed to; undefined for a link that is not valid. */
async function findAddress(ctx: Pick<Ctx, "db">, token: string, purpose: LinkPurpose): Promise<string | undefined> {
  const where = isValid(token, purpose);
  return (await query(ctx, { email: text }, Prisma.sql`select l.email from mail_links l where ${where}`))[0]?.email;
}

/** Whether a link is still valid, for the page behind it. */
export const isLinkValid = async (ctx: Pick<Ctx, "db">, token: string, purpose: LinkPurpose): Promise<boolean> =>
  (await findAddress(ctx, token, purpose)) !== undefined;

const noLongerValid = () => invalid("token", "This link is no longer valid. Ask for a new one.");

/** Uses a link in the transaction of `tx`, which of concurrent calls one can. Throws `invalid("token")`. */
async function consume(tx: AnonymousCtx, token: string, purpose: LinkPurpose): Promise<Affected> {
  const [link] = await query(
    tx,
    { user_id: text },
    Prisma.sql`update mail_links l set used_at = now() where ${isValid(token, purpose)} returning l.user_id`,
  );
  if (!link) throw noLongerValid();
  const { uid, username } = await tx.db.user.findUniqueOrThrow({ where: { uid: link.user_id } });
  return { uid, username };
}

interface Affected {
  uid: string;
  username: string;
}

/** Records what a person did by a link, in each of their organizations. */
async function auditEverywhere(tx: AnonymousCtx, user: Affected, action: string): Promise<void> {
  const target = { targetType: "user", targetId: user.uid, targetName: user.username };
  for (const { organizationId, role } of await tx.db.membership.findMany({ where: { userId: user.uid } })) {
    await audit(createMemberContext(tx, user, organizationId, role as Role), { action, ...target });
  }
}

/**
 * Sets a new password by a link, ends every session, and confirms the address, because the link was read there. Throws
 * `invalid("token")` and `invalid("password")`.
 */
export async function resetPassword(ctx: AnonymousCtx, { token, password }: ResetPassword): Promise<void> {
  // Before the password is hashed, which takes time.
  const email = await findAddress(ctx, token, "reset");
  if (email === undefined) throw noLongerValid();
  const passwordHash = await hashNewPassword("password", password, [email]);
  await transaction(ctx, async (tx) => {
    const user = await consume(tx, token, "reset");
    await tx.db.user.update({
      where: { uid: user.uid },
      data: { passwordHash, passwordSet: true, emailVerifiedAt: databaseNow() },
    });
    await endUserSessions(tx, user.uid, null);
    await auditEverywhere(tx, user, "user.password_reset");
    await noticeAccountChange(tx, user.uid, "password_changed");
  });
}

/** Confirms the address of an account by a link. Throws `invalid("token")`. */
export async function verifyEmail(ctx: AnonymousCtx, token: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const user = await consume(tx, token, "verify");
    await tx.db.user.update({ where: { uid: user.uid }, data: { emailVerifiedAt: databaseNow() } });
    await auditEverywhere(tx, user, "user.email_verified");
  });
}
