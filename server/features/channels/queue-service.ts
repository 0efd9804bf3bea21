import { alertStatuses } from "@/domain/alerts/lifecycle";
import { toDelay, toPictureWait } from "@/domain/alerts/message-delays";
import { isNew, Message } from "@/server/features/channels/message";
import { databaseMs } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { bool, int4, type Native, notNull, oneOf, text } from "@/server/platform/rows";
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
  const delay = isHeld ? toPictureWait(severity) : toDelay({ isNew: isNew(message), severity });
  const due = new Date(databaseMs() + delay);
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
async function waitsForPictures(tx: Ctx, alertId: string, message: Message): Promise<boolean> {
  if (!isNew(message) || message.alert.recording_id === null) return false;
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
      const message = Message.parse(payload);
      if (!isNew(message)) continue;
      const { severity } = message.alert;
      const due = new Date(Math.max(databaseMs(), createdAt.getTime() + toDelay({ isNew: true, severity })));
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

/** No attempt was made yet, so that nobody knows what it says. */
const isUnsent = Prisma.sql`n.status = 'pending' and n.attempts = 0`;

/** Whether it is about a change, and not about a new alert. */
const isChange = Prisma.sql`(n.event <> 'alert.triggered' or n.payload->>'reopened' = 'true')`;

// What is not said by a row does not keep anybody from changing the alert.
const alertState = Prisma.sql`coalesce(n.payload->'alert'->>'status', 'open')`;

const cancelation = Prisma.sql`update notifications n set status = 'canceled', next_attempt_at = null, updated_at = now()`;

/** Cancels all messages of alerts of which no attempt was made yet. */
export async function cancelUnsent(tx: Ctx, alertIds: readonly string[]): Promise<void> {
  await execute(
    tx,
    Prisma.sql`${cancelation} where n.alert_id = any(${[...alertIds]}) and n.organization_id = ${tx.organizationId}
      and ${isUnsent}`,
  );
}

/** Cancels these messages, which the caller has locked. */
export async function cancelNotifications(tx: Ctx, uids: readonly string[]): Promise<void> {
  if (uids.length > 0) await execute(tx, Prisma.sql`${cancelation} where n.uid = any(${[...uids]})`);
}

/** The alerts of these that have messages of which no attempt was made yet. */
export async function listWithUnsent(tx: Ctx, alertIds: readonly string[]): Promise<string[]> {
  const rows = await query(
    tx,
    { alert_id: notNull(text) },
    Prisma.sql`select distinct n.alert_id from notifications n
      where n.alert_id = any(${[...alertIds]}) and n.organization_id = ${tx.organizationId} and ${isUnsent}`,
  );
  return rows.map((row) => row.alert_id);
}

/** The alerts of these that have messages about changes to be sent, but none about the state in which they are. */
export async function listContradicted(tx: Ctx, alertIds: readonly string[]): Promise<string[]> {
  const rows = await query(
    tx,
    { uid: text },
    Prisma.sql`select a.uid from alerts a join notifications n on n.alert_id = a.uid and ${isUnsent} and ${isChange}
      where a.uid = any(${[...alertIds]}) and a.organization_id = ${tx.organizationId}
      group by a.uid having not bool_or(${alertState} = a.status)`,
  );
  return rows.map((row) => row.uid);
}

/** Puts what an alert is now into its messages about this state of which no attempt was made yet. */
export async function refreshNotifications(
  tx: Ctx,
  alertId: string,
  now: Pick<Message, "alert" | "rule" | "evidence">,
): Promise<void> {
  await execute(
    tx,
    Prisma.sql`update notifications n set payload = n.payload || ${JSON.stringify(now)}::jsonb
      where n.alert_id = ${alertId} and n.organization_id = ${tx.organizationId} and ${isUnsent}
        and ${alertState} = ${now.alert.status}`,
  );
}

const stateRow = { uid: text, channel_id: text, status: oneOf(alertStatuses) };

/** Messages about changes of an alert that wait, earliest first, locked so that they are not sent meanwhile. */
export const lockWaiting = (tx: Ctx, alertId: string): Promise<Native<typeof stateRow>[]> =>
  query(
    tx,
    stateRow,
    Prisma.sql`select n.uid, n.channel_id, ${alertState} as status from notifications n
      where n.alert_id = ${alertId} and n.organization_id = ${tx.organizationId} and ${isUnsent} and ${isChange}
      order by n.uid for update`,
  );

/** For each channel the newest message about an alert that was sent, is being sent or says that it is new. */
export const listKnown = (tx: Ctx, alertId: string, waiting: readonly string[]): Promise<Native<typeof stateRow>[]> =>
  query(
    tx,
    stateRow,
    Prisma.sql`select distinct on (n.channel_id) n.uid, n.channel_id, ${alertState} as status from notifications n
      where n.alert_id = ${alertId} and n.organization_id = ${tx.organizationId} and n.status <> 'canceled'
        and n.uid <> all(${[...waiting]})
      order by n.channel_id, n.uid desc`,
  );
