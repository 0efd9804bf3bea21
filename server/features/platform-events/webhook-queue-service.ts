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
export const queueDeliveries = (
  tx: Ctx,
  subscriptionIds: readonly string[],
  eventType: string,
  payload: object,
): Promise<string[]> => queueSeveral(tx, subscriptionIds, eventType, [payload]);

/** The same of several payloads, one after the other for each subscription. */
async function queueSeveral(
  tx: Ctx,
  subscriptionIds: readonly string[],
  eventType: string,
  payloads: readonly object[],
): Promise<string[]> {
  const now = databaseNow();
  const rows = payloads.flatMap((payload) =>
    subscriptionIds.map((subscriptionId) => ({
      uid: uuidv7(),
      organizationId: tx.organizationId,
      subscriptionId,
      eventType,
      payload: payload as Prisma.InputJsonObject,
      objectId: findEventObject({ ...payload })?.uid ?? null,
      nextAttemptAt: now,
    })),
  );
  await tx.db.webhookDelivery.createMany({ data: rows });
  return rows.map(({ uid }) => uid);
}

/**
 * Writes a delivery of each event for each active subscription to it, in the transaction that publishes them, so that
 * deliveries exist exactly for committed changes.
 */
export const queueForWebhooks: PlatformEventSubscriber = async (ctx, type, bodies) => {
  // Locked against deletion until the commit, so that a concurrent deletion waits and ends these deliveries.
  const subscriptions = await query(
    ctx,
    { uid: text },
    Prisma.sql`select uid from webhook_subscriptions
      where organization_id = ${ctx.organizationId} and is_active and ${type} = any(events)
        and demo = ${isAboutDemo(ctx, bodies[0] ?? {})} for key share`,
  );
  if (subscriptions.length === 0) return;
  await queueSeveral(
    ctx,
    subscriptions.map(({ uid }) => uid),
    type,
    bodies,
  );
};
