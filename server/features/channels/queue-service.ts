import { toPictureWait, toUndoWindow } from "@/domain/alerts/message-delays";
import { Message, type AlertEvent } from "@/server/features/channels/message";
import { databaseMs } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { bool, int4, text } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

/** The ids that are channels of this organization, locked against deletion until the transaction ends. */
export async function existingChannels(tx: Ctx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await query(
    tx,
    { uid: text },
    Prisma.sql`select uid from channels where organization_id = ${tx.organizationId} and uid = any(${[...new Set(ids)]})
      order by uid for key share`,
  );
  return rows.map((row) => row.uid);
}

/**
 * Queues one message to each channel, in the transaction of the change. Messages of one alert to one channel are sent
 * in the order they were queued. Callers have locked the alert's row, so that counting earlier messages is safe.
 */
export async function queueNotifications(
  tx: Ctx,
  alertId: string,
  channelIds: readonly string[],
  message: Message,
): Promise<void> {
  const { event } = message;
  if (channelIds.length === 0) return;
  const { severity } = message.alert;
  const isHeld = await waitsForPictures(tx, alertId, message);
  const due = new Date(databaseMs() + (isHeld ? toPictureWait(severity) : toUndoWindow(severity)));
  const earlier = await query(
    tx,
    { channel_id: text, count: int4 },
    Prisma.sql`select channel_id, count(*)::int as count from notifications
      where alert_id = ${alertId} and event = ${event} group by channel_id`,
  );
  const counts = new Map(earlier.map((row) => [row.channel_id, row.count]));
  const rows = channelIds.map((channelId) => ({
    uid: uuidv7(),
    organizationId: tx.organizationId,
    channelId,
    alertId,
    event,
    nextAttemptAt: due,
    dedupeKey: `${alertId}:${channelId}:${event}:${counts.get(channelId) ?? 0}`,
    payload: JSON.parse(JSON.stringify(message)) as Prisma.InputJsonObject,
  }));
  await tx.db.notification.createMany({ data: rows, skipDuplicates: true });
  for (const { uid } of rows) await wakeAt(tx, uid, due);
}

/** Wakes the outbox when a message is due, without waiting for the next periodic run. */
const wakeAt = (tx: Pick<Ctx, "db" | "organizationId">, notificationId: string, runAt: Date): Promise<void> =>
  enqueue(
    tx,
    jobs.sendNotification,
    { organizationId: tx.organizationId, notificationId },
    { key: `notification:${notificationId}`, runAt, priority: -20 },
  );

/**
 * Whether the message about a new alert waits for pictures: the organization wants them in messages, and those of the
 * alert's recording are not kept yet.
 */
async function waitsForPictures(tx: Ctx, alertId: string, { event, alert }: Message): Promise<boolean> {
  if (event !== "alert.triggered" || alert.recording_id === null) return false;
  const [row] = await query(
    tx,
    { waits: bool },
    Prisma.sql`select exists (select from organizations o where o.uid = ${tx.organizationId}
        and o.settings->'pictures_in_messages' = 'true')
      and not exists (select from alert_captures c where c.alert_id = ${alertId}) as waits`,
  );
  return row?.waits === true;
}

/** Sends the messages about an alert that waited for its pictures as soon as they may be sent. */
export async function releaseHeld(alert: { organizationId: string; alertId: string }): Promise<void> {
  const { organizationId, alertId } = alert;
  await transaction(systemContext(prisma, organizationId), async (tx) => {
    const held = await tx.db.notification.findMany({
      where: { alertId, organizationId, event: "alert.triggered", status: "pending", attempts: 0 },
      select: { uid: true, createdAt: true, nextAttemptAt: true, payload: true },
    });
    for (const { uid, createdAt, nextAttemptAt, payload } of held) {
      const { severity } = Message.parse(payload).alert;
      const due = new Date(Math.max(databaseMs(), createdAt.getTime() + toUndoWindow(severity)));
      if (nextAttemptAt === null || nextAttemptAt <= due) continue;
      // One that is canceled or sent meanwhile stays so.
      const changed = await execute(
        tx,
        Prisma.sql`update notifications set next_attempt_at = ${due}
          where uid = ${uid} and status = 'pending' and attempts = 0 and next_attempt_at > ${due}`,
      );
      if (changed > 0) await wakeAt(tx, uid, due);
    }
  });
}

/** Cancels pending messages of alerts that were not attempted yet. Returns the uids of their channels. */
export async function cancelNotifications(tx: Ctx, alertIds: readonly string[], event: AlertEvent): Promise<string[]> {
  const rows = await query(
    tx,
    { channel_id: text },
    Prisma.sql`update notifications set status = 'canceled', next_attempt_at = null, updated_at = now()
      where alert_id = any(${[...alertIds]}) and organization_id = ${tx.organizationId} and event = ${event}
        and status = 'pending' and attempts = 0
      returning channel_id`,
  );
  return [...new Set(rows.map((row) => row.channel_id))];
}

/** The channels that were, or will be, notified that the alert was raised. */
export async function listNotifiedChannels(tx: Ctx, alertId: string): Promise<string[]> {
  const rows = await query(
    tx,
    { channel_id: text },
    Prisma.sql`select distinct channel_id from notifications
      where alert_id = ${alertId} and event = 'alert.triggered' and status <> 'canceled'`,
  );
  return rows.map((row) => row.channel_id);
}

/** The channels whose newest message about the alert, canceled ones aside, is of that event. */
export async function listChannelsLastSent(tx: Ctx, alertId: string, event: AlertEvent): Promise<string[]> {
  const rows = await query(
    tx,
    { channel_id: text },
    Prisma.sql`select channel_id from (
        select distinct on (channel_id) channel_id, event from notifications
        where alert_id = ${alertId} and status <> 'canceled' order by channel_id, uid desc) newest
      where event = ${event}`,
  );
  return rows.map((row) => row.channel_id);
}
