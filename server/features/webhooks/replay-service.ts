import type { z } from "zod";
import { maxReplayed, replayStatuses } from "@/domain/webhooks/delivery-status";
import type { PreviewReplay } from "@/domain/webhooks/schema";
import { audit } from "@/server/features/audit/service";
import { createdIn, failureCause, isFailing } from "@/server/features/webhooks/failing-queries";
import type { ReplayPreview, ReplayResource } from "@/server/features/webhooks/resource";
import { getWebhook } from "@/server/features/webhooks/service";
import { isDeliveryVisible } from "@/server/features/webhooks/visible-queries";
import { databaseMs, databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { conflict, invalid, notFound } from "@/server/platform/errors";
import { announce } from "@/server/platform/realtime/changes";
import { int4, int8, notNull, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

/** Which deliveries of a webhook a replay takes; without `since` those of the last week. */
export interface ReplaySelection extends Omit<z.output<typeof PreviewReplay>, "uid"> {
  /** Those waiting for their next attempt after a failure as well: their copy takes their place. */
  retrying: boolean;
}

const weekMs = 7 * 24 * 3_600_000;

function selected(ctx: Ctx, webhook: string, { uids, cause, retrying, ...period }: ReplaySelection): Prisma.Sql {
  const tried = Prisma.sql`(d.status <> 'pending' or ${isFailing})`;
  const failing = Prisma.sql`${isFailing} and d.status in ('failed', ${retrying ? "pending" : "failed"})`;
  const since = period.since ?? new Date(databaseMs() - weekMs);
  const conditions = [
    Prisma.sql`d.subscription_id = ${webhook} and d.organization_id = ${ctx.organizationId}`,
    ...(uids ? [Prisma.sql`d.uid = any(${uids})`, tried] : [failing, ...createdIn({ ...period, since })]),
    ...(cause === undefined ? [] : [Prisma.sql`${failureCause} = ${cause}`]),
  ];
  return Prisma.join(conditions, " and ");
}

/** How many deliveries a replay would take, of those that the caller sees. Throws `not_found`. */
export async function previewReplay(ctx: Ctx, webhook: string, selection: ReplaySelection): Promise<ReplayPreview> {
  await getWebhook(ctx, webhook);
  const [row] = await sql(
    { count: int8, taken: int8, first_at: nullable(timestamptz), last_at: nullable(timestamptz) },
    Prisma.sql`select count(*) as taken, count(*) filter (where visible) as count,
        min(created_at) filter (where visible) as first_at, max(created_at) filter (where visible) as last_at
      from (
        select d.created_at, ${isDeliveryVisible(ctx)} as visible from webhook_deliveries d
        where ${selected(ctx, webhook, selection)} order by d.uid limit ${maxReplayed + 1}) t`,
  );
  return {
    count: Math.min(Number(row?.count ?? 0), maxReplayed),
    more: Number(row?.taken ?? 0) > maxReplayed,
    first_at: row?.first_at ?? null,
    last_at: row?.last_at ?? null,
  };
}

/** Throws `invalid("uids")` for a chosen delivery that is not the webhook's. */
async function checkChosen(tx: Ctx, webhook: string, uids: readonly string[]): Promise<void> {
  const [unknown] = await query(
    tx,
    { uid: text },
    Prisma.sql`select c.uid from unnest(${uids}::text[]) as c(uid) where not exists (
      select from webhook_deliveries d
      where d.uid = c.uid and d.subscription_id = ${webhook} and d.organization_id = ${tx.organizationId}) limit 1`,
  );
  if (unknown) throw invalid("uids", `Invalid pk "${unknown.uid}" - object does not exist.`);
}

/**
 * Sends deliveries of a webhook again, oldest first, as new ones: at most `per_second` a second, or all immediately.
 * Their copies are written now, so that a replay survives the end of any process. Throws `not_found`,
 * `invalid("uids")`, and `conflict` while the webhook is turned off.
 */
export async function startReplay(
  ctx: Ctx,
  webhook: string,
  { per_second: perSecond = null, ...selection }: ReplaySelection & { per_second?: number | null | undefined },
): Promise<{ queued: number; replay_uid: string }> {
  const uid = uuidv7();
  return transaction(ctx, async (tx) => {
    const { is_active: isActive, target_url: targetUrl } = await getWebhook(tx, webhook, Prisma.sql`for no key update`);
    if (!isActive) throw conflict("The subscription is turned off. Turn it on first.");
    if (selection.uids) await checkChosen(tx, webhook, selection.uids);
    // Those whose attempt is being recorded now are left out rather than waited for.
    const taken = await query(
      tx,
      { uid: text },
      Prisma.sql`select d.uid from webhook_deliveries d where ${selected(tx, webhook, selection)}
        order by d.uid limit ${maxReplayed} for update skip locked`,
    );
    const originals = taken.map((row) => row.uid);
    await tx.db.webhookReplay.create({
      data: {
        uid,
        organizationId: tx.organizationId,
        subscriptionId: webhook,
        status: originals.length === 0 ? "done" : "running",
        total: originals.length,
        perSecond,
        // The first ones are due immediately.
        releasedAt: new Date(databaseMs() - 1_000),
        createdById: tx.actor.userId,
      },
    });
    await execute(
      tx,
      Prisma.sql`update webhook_deliveries set repeated = true, updated_at = now(), next_attempt_at = null,
          status = case when status = 'pending' then 'failed' else status end
        where uid = any(${originals})`,
    );
    await execute(
      tx,
      Prisma.sql`insert into webhook_deliveries (uid, organization_id, subscription_id, event_type, payload, object_id,
          next_attempt_at, replay_of, replay_id, updated_at)
        select c.uid, d.organization_id, d.subscription_id, d.event_type, d.payload, d.object_id,
          ${perSecond === null ? Prisma.sql`now()` : Prisma.sql`null`}, d.uid, ${uid}, now()
        from unnest(${originals}::text[], ${originals.map(() => uuidv7())}::text[]) as c(original, uid)
        join webhook_deliveries d on d.uid = c.original`,
    );
    await audit(tx, {
      action: "webhook.replayed",
      targetType: "webhook",
      targetId: webhook,
      targetName: targetUrl,
      after: {
        queued: originals.length,
        ...(selection.since && { since: selection.since.toISOString() }),
        ...(selection.cause !== undefined && { cause: selection.cause }),
      },
    });
    await announce(tx, "webhook", webhook, "updated");
    return { queued: originals.length, replay_uid: uid };
  });
}

const replayRow = {
  uid: text,
  webhook: text,
  status: oneOf(replayStatuses),
  total: int4,
  per_second: nullable(int4),
  done: notNull(int8),
  delivered: notNull(int8),
  failed: notNull(int8),
  retrying: notNull(int8),
  kept: notNull(int8),
  created_by: nullable(text),
  created_at: timestamptz,
  finished_at: nullable(timestamptz),
};

/** The newest five replays of a webhook with their progress. Throws `not_found`. */
export async function listReplays(ctx: Ctx, webhook: string): Promise<ReplayResource[]> {
  await getWebhook(ctx, webhook);
  return readReplays(ctx, Prisma.sql`subscription_id = ${webhook} and total > 0`);
}

/** One replay with its progress. Throws `not_found`. */
export async function getReplay(ctx: Ctx, uid: string): Promise<ReplayResource> {
  const [replay] = await readReplays(ctx, Prisma.sql`uid = ${uid}`);
  if (!replay) throw notFound();
  return replay;
}

async function readReplays(ctx: Ctx, condition: Prisma.Sql): Promise<ReplayResource[]> {
  const rows = await sql(
    replayRow,
    Prisma.sql`select r.uid, r.subscription_id as webhook, r.status, r.total, r.per_second, p.*, u.username as created_by,
        r.created_at, r.finished_at
      from (select * from webhook_replays where organization_id = ${ctx.organizationId} and ${condition}
        order by uid desc limit 5) r
      left join users u on u.uid = r.created_by_id
      cross join lateral (
        select count(*) filter (where status <> 'pending' or error is not null) as done,
          count(*) filter (where status = 'delivered') as delivered, count(*) filter (where status = 'failed') as failed,
          count(*) filter (where status = 'pending' and error is not null) as retrying, count(*) as kept
        from webhook_deliveries where replay_id = r.uid) p
      order by r.uid desc`,
  );
  return rows.map(({ kept, done, delivered, failed, retrying, ...row }) => ({
    ...row,
    done: Number(done),
    delivered: Number(delivered),
    failed: Number(failed),
    retrying: Number(retrying),
    dropped: row.total - Number(kept),
  }));
}

/** Ends a replay: what was not sent yet will not be, and can be replayed later. Throws `not_found`. */
export async function stopReplay(ctx: Ctx, uid: string): Promise<{ dropped: number }> {
  return transaction(ctx, async (tx) => {
    // Before the deliveries, in the order in which the worker locks them.
    const [replay] = await query(
      tx,
      { status: oneOf(replayStatuses), subscription_id: text },
      Prisma.sql`select status, subscription_id from webhook_replays where uid = ${uid}
        and organization_id = ${tx.organizationId} for update`,
    );
    if (!replay) throw notFound();
    const webhook = replay.subscription_id;
    const { target_url: targetUrl } = await getWebhook(tx, webhook);
    const dropped = await query(
      tx,
      { replay_of: notNull(text) },
      Prisma.sql`delete from webhook_deliveries where replay_id = ${uid} and status = 'pending' and attempts = 0
        returning replay_of`,
    );
    await execute(
      tx,
      Prisma.sql`update webhook_deliveries set repeated = false, updated_at = now()
        where uid = any(${dropped.map((row) => row.replay_of)}::text[])`,
    );
    if (replay.status === "running" || dropped.length > 0) {
      await tx.db.webhookReplay.update({ where: { uid }, data: { status: "stopped", finishedAt: databaseNow() } });
      await audit(tx, {
        action: "webhook.replay_stopped",
        targetType: "webhook",
        targetId: webhook,
        targetName: targetUrl,
        after: { not_sent: dropped.length },
      });
    }
    await announce(tx, "webhook", webhook, "updated");
    return { dropped: dropped.length };
  });
}
