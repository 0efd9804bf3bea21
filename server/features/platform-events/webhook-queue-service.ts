import { findEventObject } from "@/domain/platform-events/event-object";
import { isAboutDemo } from "@/server/features/platform-events/demo-queries";
import type { PlatformEventSubscriber } from "@/server/features/platform-events/subscriber";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { text } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

/** Writes deliveries of one payload, due immediately. Resolves to their uids. */
export async function queueDeliveries(
  tx: Ctx,
  subscriptionIds: readonly string[],
  eventType: string,
  payload: object,
): Promise<string[]> {
  const now = databaseNow();
  const objectId = findEventObject({ ...payload })?.uid ?? null;
  const rows = subscriptionIds.map((subscriptionId) => ({
    uid: uuidv7(),
    organizationId: tx.organizationId,
    subscriptionId,
    eventType,
    payload: payload as Prisma.InputJsonObject,
    objectId,
    nextAttemptAt: now,
  }));
  await tx.db.webhookDelivery.createMany({ data: rows });
  return rows.map(({ uid }) => uid);
}

/**
 * Writes a delivery for each active subscription to the event, in the transaction that publishes the event, so that
 * deliveries exist exactly for committed changes.
 */
export const queueForWebhooks: PlatformEventSubscriber = async (ctx, type, body) => {
  // Locked against deletion until the commit, so that a concurrent deletion waits and ends these deliveries.
  const subscriptions = await query(
    ctx,
    { uid: text },
    Prisma.sql`select uid from webhook_subscriptions
      where organization_id = ${ctx.organizationId} and is_active and ${type} = any(events)
        and demo = ${isAboutDemo(ctx, body)} for key share`,
  );
  if (subscriptions.length === 0) return;
  await queueDeliveries(
    ctx,
    subscriptions.map(({ uid }) => uid),
    type,
    body,
  );
};
