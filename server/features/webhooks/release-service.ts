import { databaseNow } from "@/server/platform/clock";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { announceSoon } from "@/server/platform/realtime/changes";
import { nullable, int4, text } from "@/server/platform/rows";

/** After a pause of the workers, a replay continues at its rate instead of catching up: seconds counted at most. */
const maxSeconds = 2;

/** Whether any replay runs, as an expression. */
export const anyReplay = Prisma.sql`exists (select from webhook_replays r where r.status = 'running')`;

/** Makes the next copies of each running replay due, as many as its rate allows since the last time. */
export async function releaseReplays(now = databaseNow()): Promise<void> {
  const running = await query(
    { db: prisma },
    { uid: text },
    Prisma.sql`select uid from webhook_replays where status = 'running' order by uid`,
  );
  for (const { uid } of running) await releaseSome(uid, now);
}

async function releaseSome(uid: string, now: Date): Promise<void> {
  const replay = await transaction({ db: prisma }, async (tx) => {
    const [row] = await query(
      tx,
      { organization_id: text, subscription_id: text, per_second: nullable(int4), allowed: nullable(int4) },
      Prisma.sql`select organization_id, subscription_id, per_second,
          floor(least(greatest(extract(epoch from ${now}::timestamptz - released_at), 0), ${maxSeconds}) * per_second)::int as allowed
        from webhook_replays where uid = ${uid} and status = 'running' for update skip locked`,
    );
    if (!row) return null;
    if (row.allowed === 0) return null;
    const released = await execute(
      tx,
      Prisma.sql`update webhook_deliveries set next_attempt_at = ${now}::timestamptz
        where uid in (select uid from webhook_deliveries
          where replay_id = ${uid} and status = 'pending' and next_attempt_at is null order by uid limit ${row.allowed ?? 0})`,
    );
    const done = released < (row.allowed ?? 1);
    await execute(
      tx,
      done
        ? Prisma.sql`update webhook_replays set status = 'done', finished_at = ${now}::timestamptz where uid = ${uid}`
        : Prisma.sql`update webhook_replays set released_at = ${now}::timestamptz where uid = ${uid}`,
    );
    return row;
  });
  if (!replay) return;
  announceSoon(systemContext(prisma, replay.organization_id), "webhook", replay.subscription_id, "updated");
}
