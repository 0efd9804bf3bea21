import { type DeliveryFilters, type ReplayDeliveries, deliveryStatuses } from "@/domain/webhooks/schema";
import { audit } from "@/server/features/audit/service";
import { queueDeliveries } from "@/server/features/platform-events/webhook-queue-service";
import type { DeliveryDetail, DeliveryResource } from "@/server/features/webhooks/resource";
import { getWebhook } from "@/server/features/webhooks/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { conflict, notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { bool, int4, nullable, oneOf, text, timestamptz, jsonObject } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const columns = Prisma.sql`d.uid, d.subscription_id as subscription, d.event_type, d.payload, d.response_status, d.response_body,
  d.attempts, case when d.status = 'pending' and d.attempts > 0 then d.next_attempt_at end as next_retry_at, d.status, d.error,
  d.replay_of, d.created_at, d.updated_at`;

const deliveryRow = {
  uid: text,
  subscription: text,
  event_type: text,
  payload: jsonObject,
  response_status: nullable(int4),
  response_body: nullable(text),
  attempts: int4,
  next_retry_at: nullable(timestamptz),
  status: oneOf(deliveryStatuses),
  error: nullable(text),
  replay_of: nullable(text),
  created_at: timestamptz,
  updated_at: timestamptz,
};
const attemptRow = {
  uid: text,
  started_at: timestamptz,
  duration_ms: int4,
  ok: bool,
  status_code: nullable(int4),
  error: nullable(text),
  response: nullable(text),
};

/** The maximum of deliveries that one replay queues; the next call continues with the rest. */
const maxReplayed = 10_000;

/** Deliveries, newest first. */
export async function listWebhookDeliveries(
  ctx: Ctx,
  { limit, cursor, subscription, status, event_type: eventType }: DeliveryFilters,
): Promise<Page<DeliveryResource>> {
  const filters = [
    subscription === undefined ? null : Prisma.sql`d.subscription_id = ${subscription}`,
    status === undefined ? null : Prisma.sql`d.status = any(${status})`,
    eventType === undefined ? null : Prisma.sql`d.event_type = ${eventType}`,
  ].filter((each) => each !== null);
  return keysetPage<DeliveryResource>(ctx, {
    name: "webhook-deliveries",
    filters: { subscription, status, eventType },
    page: { limit, cursor },
    order: { columns: ["d.uid"], direction: "desc" },
    key: (delivery) => [delivery.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        deliveryRow,
        Prisma.sql`select ${columns} from webhook_deliveries d
        where d.organization_id = ${ctx.organizationId} and ${where}
          ${filters.length > 0 ? Prisma.sql`and ${Prisma.join(filters, " and ")}` : Prisma.empty}
        order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** One delivery with its attempts. Throws `not_found`. */
export async function getWebhookDelivery(ctx: Ctx, uid: string): Promise<DeliveryDetail> {
  const [row] = await sql(
    deliveryRow,
    Prisma.sql`select ${columns} from webhook_deliveries d where d.uid = ${uid} and d.organization_id = ${ctx.organizationId}`,
  );
  if (!row) throw notFound();
  const attempts = await sql(
    attemptRow,
    Prisma.sql`select uid, started_at, duration_ms, ok, status_code, error, response from webhook_attempts
      where delivery_id = ${uid} order by uid limit 100`,
  );
  return { ...row, attempt_log: attempts };
}

/** Queues a ping, also for an inactive subscription. Throws `not_found`. */
export async function testWebhook(ctx: Ctx, uid: string): Promise<{ detail: string; delivery_uid: string }> {
  return transaction(ctx, async (tx) => {
    const webhook = await getWebhook(tx, uid, Prisma.sql`for key share`);
    const [delivery = ""] = await queueDeliveries(tx, [uid], "test.ping", { event: "test.ping" });
    await audit(tx, { action: "webhook.tested", targetType: "webhook", targetId: uid, targetName: webhook.target_url });
    return { detail: "A test ping was queued.", delivery_uid: delivery };
  });
}

/**
 * Sends the payload of a delivery again, as a new delivery. Throws `not_found`, also when its subscription was deleted,
 * and `conflict` while it is pending.
 */
export async function redeliver(ctx: Ctx, uid: string): Promise<DeliveryDetail> {
  return transaction(ctx, async (tx) => {
    const row = await tx.db.webhookDelivery.findFirst({ where: { uid, organizationId: tx.organizationId } });
    if (!row) throw notFound();
    if (row.status === "pending") throw conflict("This delivery is still on its way.");
    const webhook = await getWebhook(tx, row.subscriptionId, Prisma.sql`for key share`);
    const again = uuidv7();
    await execute(
      tx,
      Prisma.sql`insert into webhook_deliveries (uid, organization_id, subscription_id, event_type, payload, next_attempt_at, replay_of)
        select ${again}, organization_id, subscription_id, event_type, payload, now(), uid from webhook_deliveries where uid = ${uid}`,
    );
    await audit(tx, {
      action: "webhook.redelivered",
      targetType: "webhook",
      targetId: webhook.uid,
      targetName: webhook.target_url,
    });
    return { ...(await readBack(tx, again)), attempt_log: [] };
  });
}

async function readBack(tx: Ctx, uid: string): Promise<DeliveryResource> {
  const [row] = await query(
    tx,
    deliveryRow,
    Prisma.sql`select ${columns} from webhook_deliveries d where d.uid = ${uid}`,
  );
  if (!row) throw notFound();
  return {
    ...row,
    next_retry_at: row.next_retry_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/**
 * Queues the failed deliveries of a subscription since a time (default: a week) that were not repeated yet. Throws
 * `not_found`, and `conflict` while it is turned off.
 */
export async function replayDeliveries(
  ctx: Ctx,
  uid: string,
  { since }: ReplayDeliveries,
): Promise<{ queued: number }> {
  return transaction(ctx, async (tx) => {
    const webhook = await getWebhook(tx, uid, Prisma.sql`for no key update`);
    if (!webhook.is_active) throw conflict("The subscription is turned off. Turn it on first.");
    const from = since ?? new Date(Date.now() - 7 * 24 * 3_600_000);
    const failed = await query(
      tx,
      { uid: text, event_type: text, payload: deliveryRow.payload },
      Prisma.sql`select d.uid, d.event_type, d.payload from webhook_deliveries d
        where d.subscription_id = ${uid} and d.organization_id = ${tx.organizationId} and d.status = 'failed'
          and d.created_at >= ${from} and not exists (select 1 from webhook_deliveries r where r.replay_of = d.uid)
        order by d.uid limit ${maxReplayed}`,
    );
    const now = new Date();
    const rows = failed.map((delivery) => ({
      uid: uuidv7(),
      organizationId: tx.organizationId,
      subscriptionId: uid,
      eventType: delivery.event_type,
      payload: delivery.payload as Prisma.InputJsonObject,
      nextAttemptAt: now,
      replayOf: delivery.uid,
    }));
    await tx.db.webhookDelivery.createMany({ data: rows });
    await audit(tx, {
      action: "webhook.replayed",
      targetType: "webhook",
      targetId: uid,
      targetName: webhook.target_url,
      after: { queued: rows.length, since: from.toISOString() },
    });
    return { queued: rows.length };
  });
}
