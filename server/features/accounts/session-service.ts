import { isoTime } from "@/domain/wire-values";
import type { SessionResource } from "@/server/features/accounts/resource";
import { audit } from "@/server/features/audit/service";
import { requireUser } from "@/server/features/membership/access-service";
import { validSession } from "@/server/platform/auth/session-life";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { nullable, text, timestamptz } from "@/server/platform/rows";

const sessionRow = {
  uid: text,
  user_agent: text,
  ip: nullable(text),
  created_at: timestamptz,
  last_used_at: timestamptz,
  expires_at: timestamptz,
};

const valid = Prisma.raw(validSession);

/** The browsers in which the caller is signed in, the last used first; at most 100. `currentUid` is the caller's. */
export async function listSessions(ctx: Ctx, currentUid: string): Promise<SessionResource[]> {
  const { uid: userId } = requireUser(ctx);
  const rows = await query(
    ctx,
    sessionRow,
    Prisma.sql`select s.uid, s.user_agent, s.ip, s.created_at, s.last_used_at, s.expires_at
      from sessions s where s.user_id = ${userId} and ${valid}
      order by (s.uid = ${currentUid}) desc, s.last_used_at desc, s.uid desc limit 100`,
  );
  return rows.map((row) => ({
    ...row,
    created_at: isoTime(row.created_at),
    last_used_at: isoTime(row.last_used_at),
    expires_at: isoTime(row.expires_at),
    current: row.uid === currentUid,
  }));
}

/** Ends one of the caller's sessions. Throws `not_found` for any other. */
export async function revokeSession(ctx: Ctx, uid: string): Promise<void> {
  const user = requireUser(ctx);
  await transaction(ctx, async (tx) => {
    const ended = await execute(
      tx,
      Prisma.sql`update sessions s set revoked_at = now()
        where s.uid = ${uid} and s.user_id = ${user.uid} and ${valid}`,
    );
    if (ended === 0) throw notFound();
    await audit(tx, { action: "session.revoked", targetType: "user", targetId: user.uid, targetName: user.username });
  });
}

/**
 * Ends the sessions of a user in the transaction of `tx`, but for `exceptUid`, and refuses those that are being started
 * with a password checked before. Returns how many there were.
 */
export async function endUserSessions(tx: Pick<Ctx, "db">, userId: string, exceptUid: string | null): Promise<number> {
  await execute(tx, Prisma.sql`update users set session_version = session_version + 1 where uid = ${userId}`);
  return execute(
    tx,
    Prisma.sql`update sessions s set revoked_at = now()
      where s.user_id = ${userId} and s.uid <> ${exceptUid ?? ""} and s.revoked_at is null`,
  );
}

/** Ends every session of the caller but the current one. API keys stay valid. */
export async function revokeOtherSessions(ctx: Ctx, currentUid: string): Promise<void> {
  const user = requireUser(ctx);
  await transaction(ctx, async (tx) => {
    const count = await endUserSessions(tx, user.uid, currentUid);
    const target = { targetType: "user", targetId: user.uid, targetName: user.username };
    await audit(tx, { action: "session.others_revoked", ...target, after: { sessions: count } });
  });
}
