import type { ChannelType } from "@/domain/channels/channel-type";
import { deliveryStatuses } from "@/domain/channels/delivery-status";
import type { ChannelConfig } from "@/domain/channels/registry";
import type { DeliveryFilters } from "@/domain/channels/schema";
import { audit } from "@/server/features/audit/service";
import type { Message } from "@/server/features/channels/message";
import type { AttemptResource, DeliveryResource, TestResult } from "@/server/features/channels/resource";
import { sendOver } from "@/server/features/channels/senders";
import { getChannel, openChannel } from "@/server/features/channels/service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql, transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { requireMailToOthers } from "@/server/platform/mail/others";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { bool, int4, jsonbObject, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const deliveryRow = {
  uid: text,
  channel_id: text,
  alert_id: nullable(text),
  event: text,
  status: oneOf(deliveryStatuses),
  attempts: int4,
  next_retry_at: nullable(timestamptz),
  status_code: nullable(int4),
  error: nullable(text),
  payload: jsonbObject,
  created_at: timestamptz,
  updated_at: timestamptz,
};
const attemptRow = {
  notification_id: text,
  started_at: timestamptz,
  duration_ms: int4,
  ok: bool,
  status_code: nullable(int4),
  error: nullable(text),
  response: nullable(text),
};

/** The deliveries of a channel with their attempts, newest first. Throws `not_found`. */
export async function listDeliveries(ctx: Ctx, uid: string, filters: DeliveryFilters): Promise<Page<DeliveryResource>> {
  await getChannel(ctx, uid);
  const { limit, cursor, status } = filters;
  const page = await keysetPage<Wire<typeof deliveryRow>>(ctx, {
    name: "channel-deliveries",
    filters: { uid, status },
    page: { limit, cursor },
    order: { columns: ["n.uid"], direction: "desc" },
    key: (delivery) => [delivery.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        deliveryRow,
        Prisma.sql`select n.uid, n.channel_id, n.alert_id, n.event, n.status, n.attempts, n.next_attempt_at as next_retry_at,
          n.status_code, n.error, n.payload, n.created_at, n.updated_at
        from notifications n
        where n.channel_id = ${uid} and n.organization_id = ${ctx.organizationId} and ${where}
        ${status ? Prisma.sql`and n.status = any(${status})` : Prisma.empty}
        order by ${orderBy} limit ${rows}`,
      ),
  });
  const attempts = await listAttempts(page.results.map((delivery) => delivery.uid));
  return { ...page, results: page.results.map((row) => ({ ...row, attempt_log: attempts.get(row.uid) ?? [] })) };
}

async function listAttempts(uids: string[]): Promise<Map<string, AttemptResource[]>> {
  const byNotification = new Map<string, AttemptResource[]>();
  if (uids.length === 0) return byNotification;
  const rows = await sql(
    attemptRow,
    Prisma.sql`
    select notification_id, started_at, duration_ms, ok, status_code, error, response from notification_attempts
    where notification_id = any(${uids}) order by notification_id, uid`,
  );
  for (const { notification_id, ...attempt } of rows) {
    byNotification.set(notification_id, [...(byNotification.get(notification_id) ?? []), attempt]);
  }
  return byNotification;
}

function testMessage(id: string, by: string): Message {
  return {
    event: "channel.test",
    alert: {
      uid: `test_${id}`,
      rule_name: "Test",
      device_id: "",
      device_name: "no device",
      recording_id: null,
      severity: "info",
      status: "open",
      message: `${by} sent this to see whether the channel works. Nothing is wrong.`,
      occurrence_count: 1,
      triggered_at: databaseNow().toISOString(),
      acknowledged_by: null,
      resolved_by: null,
      duration: null,
      note: "",
    },
    rule: { uid: "", name: "Test", version: 0 },
    evidence: {},
    links: { alert: `${env.PUBLIC_URL}/alerts`, device: `${env.PUBLIC_URL}/devices`, recording: null },
    actor: by,
    reopened: false,
    occurred_at: null,
  };
}

/** Sends a test message immediately, waits for the response and logs it as a delivery. Throws `not_found`. */
export async function testChannel(ctx: Ctx, uid: string): Promise<TestResult> {
  const { type, config } = await openChannel(ctx, uid);
  if (type === "email") await requireMailToOthers(ctx);
  const id = uuidv7();
  const message = testMessage(id, ctx.actor.username ?? ctx.actor.name);
  const startedAt = databaseNow();
  const began = performance.now();
  // Outside a transaction: a receiver may respond slowly.
  const outcome = await sendOver(type, config as ChannelConfig<ChannelType>, message, id);
  const duration_ms = Math.round(performance.now() - began);
  await transaction(ctx, async (tx) => {
    const channel = await getChannel(tx, uid);
    await tx.db.notification.create({
      data: {
        uid: id,
        organizationId: tx.organizationId,
        channelId: uid,
        event: message.event,
        status: outcome.ok ? "delivered" : "failed",
        attempts: 1,
        statusCode: outcome.statusCode,
        error: outcome.error,
        dedupeKey: `test:${id}`,
        payload: JSON.parse(JSON.stringify(message)) as Prisma.InputJsonObject,
      },
    });
    await tx.db.notificationAttempt.create({
      data: {
        uid: uuidv7(),
        notificationId: id,
        startedAt,
        durationMs: duration_ms,
        ok: outcome.ok,
        statusCode: outcome.statusCode,
        error: outcome.error,
        response: outcome.response,
      },
    });
    await audit(tx, {
      action: "channel.tested",
      targetType: "channel",
      targetId: uid,
      targetName: channel.name,
      after: { ok: outcome.ok },
    });
    await announce(tx, "channel", uid, "updated");
  });
  return {
    ok: outcome.ok,
    detail: outcome.ok ? "The receiver took the test message." : "The test message did not arrive.",
    status_code: outcome.statusCode,
    error: outcome.error,
    duration_ms,
  };
}
