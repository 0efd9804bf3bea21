import { z } from "zod";
import { findEventObject } from "@/domain/platform-events/event-object";
import { deliveryStatuses } from "@/domain/webhooks/delivery-status";
import type { DeliveryFilters } from "@/domain/webhooks/schema";
import { audit } from "@/server/features/audit/service";
import { queueDeliveries } from "@/server/features/platform-events/webhook-queue-service";
import { createdIn, failureCause, isFailing } from "@/server/features/webhooks/failing-queries";
import type { DeliveryDetail, DeliveryResource } from "@/server/features/webhooks/resource";
import { getWebhook } from "@/server/features/webhooks/service";
import { isDeliveryVisible } from "@/server/features/webhooks/visible-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { conflict, notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { bool, int4, nullable, oneOf, text, timestamptz, json, jsonObject } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const columns = Prisma.sql`d.uid, d.subscription_id as subscription, d.event_type, d.payload, d.response_status, d.response_body,
  d.attempts, case when d.status = 'pending' and d.attempts > 0 then d.next_attempt_at end as next_retry_at, d.status, d.error,
  d.replay_of, d.replay_id as replay_uid, d.duration_ms, d.created_at, d.updated_at`;

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
  replay_uid: nullable(text),
  duration_ms: nullable(int4),
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
  request_headers: nullable(json(z.record(z.string(), z.string()))),
};

const withObject = <Row extends { payload: Record<string, unknown> }>(row: Row) => ({
  ...row,
  object: findEventObject(row.payload),
});

/**
 * Deliveries whose objects the caller sees, newest first. A cursor is bound to its filters, but not to the period where that is relative and therefore
 * moves between pages.
 */
export async function listWebhookDeliveries(
  ctx: Ctx,
  { limit, cursor, ...filters }: DeliveryFilters,
  { moving = false }: { moving?: boolean } = {},
): Promise<Page<DeliveryResource>> {
  const { subscription, status, event_type: eventType, response_status: code, object, cause, since, until } = filters;
  const ofOrganization = Prisma.sql`d.organization_id = ${ctx.organizationId}`;
  // A range of an index by subscription; with this condition inside, one by organization would be taken instead.
  const bySubscription = subscription !== undefined && object === undefined;
  const conditions = [
    ...(bySubscription ? [] : [ofOrganization]),
    ...(subscription === undefined ? [] : [Prisma.sql`d.subscription_id = ${subscription}`]),
    ...(status === undefined ? [] : [Prisma.sql`d.status = s.status`]),
    ...(eventType === undefined ? [] : [Prisma.sql`d.event_type = ${eventType}`]),
    ...(code === undefined ? [] : [Prisma.sql`d.response_status = ${code}`]),
    ...(object === undefined ? [] : [Prisma.sql`d.object_id = ${object}`]),
    ...(cause === undefined ? [] : [Prisma.sql`${isFailing} and ${failureCause} = ${cause}`]),
    ...createdIn({ since, until }),
    isDeliveryVisible(ctx),
  ];
  // One range for each status, because an index by status is in the order of uids for a single one only.
  const ranges = status === undefined ? Prisma.sql`(values (''))` : Prisma.sql`unnest(${status}::text[])`;
  return keysetPage<DeliveryResource>(ctx, {
    name: "webhook-deliveries",
    filters: moving ? { ...filters, since: undefined, until: undefined } : filters,
    page: { limit, cursor },
    order: { columns: ["d.uid"], direction: "desc" },
    key: (delivery) => [delivery.uid],
    fetch: async ({ where, orderBy, limit: rows }) => {
      const found = await sql(
        deliveryRow,
        Prisma.sql`select ${columns} from ${ranges} as s(status), lateral (
            select d.* from webhook_deliveries d where ${where} and ${Prisma.join(conditions, " and ")}
            order by ${orderBy} limit ${rows}) d
          where ${ofOrganization} order by ${orderBy} limit ${rows}`,
      );
      return found.map(withObject);
    },
  });
}

/** One delivery with its attempts. Throws `not_found`. */
export async function getWebhookDelivery(ctx: Ctx, uid: string): Promise<DeliveryDetail> {
  const [row] = await sql(
    deliveryRow,
    Prisma.sql`select ${columns} from webhook_deliveries d where d.uid = ${uid}
      and d.organization_id = ${ctx.organizationId} and ${isDeliveryVisible(ctx)}`,
  );
  if (!row) throw notFound();
  const attempts = await sql(
    attemptRow,
    Prisma.sql`select uid, started_at, duration_ms, ok, status_code, error, response, request_headers from webhook_attempts
      where delivery_id = ${uid} order by uid limit 100`,
  );
  return { ...withObject(row), attempt_log: attempts };
}

/** Queues a ping, also for an inactive subscription. Throws `not_found`. */
export async function testWebhook(ctx: Ctx, uid: string): Promise<{ detail: string; delivery_uid: string }> {
  return transaction(ctx, async (tx) => {
    const webhook = await getWebhook(tx, uid, Prisma.sql`for key share`);
    const [delivery = ""] = await queueDeliveries(tx, [uid], "test.ping", { event: "test.ping" });
    await announce(tx, "webhook", uid, "updated");
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
      Prisma.sql`insert into webhook_deliveries (uid, organization_id, subscription_id, event_type, payload, object_id, next_attempt_at, replay_of)
        select ${again}, organization_id, subscription_id, event_type, payload, object_id, now(), uid from webhook_deliveries where uid = ${uid}`,
    );
    await tx.db.webhookDelivery.update({ where: { uid }, data: { repeated: true } });
    await announce(tx, "webhook", webhook.uid, "updated");
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
    ...withObject(row),
    next_retry_at: row.next_retry_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
