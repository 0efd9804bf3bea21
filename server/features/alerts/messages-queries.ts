import { noDevice } from "@/domain/alerts/lifecycle";
import { readAlert } from "@/server/features/alerts/alert-queries";
import type { AlertDetail } from "@/server/features/alerts/resource";
import { audit } from "@/server/features/audit/service";
import { isStep, type Message, toChange } from "@/server/features/channels/message";
import {
  cancelNotifications,
  listContradicted,
  listKnown,
  listWithUnsent,
  lockWaiting,
  queueNotifications,
  refreshNotifications,
} from "@/server/features/channels/queue-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { announce } from "@/server/platform/realtime/changes";

/** How long before the trigger the link into the recording starts, in milliseconds. */
const lookBackMs = 5_000;

const systemActor = "system";

type What = Pick<Message, "event" | "reopened">;

const describe = ({ evidence, ...alert }: AlertDetail): Pick<Message, "alert" | "rule" | "evidence"> => ({
  alert,
  rule: { uid: alert.rule_id, name: alert.rule_name, version: alert.rule_version },
  evidence,
});

/** Who did what an event is about, null for the platform, and when. */
function listCause(ctx: Ctx, alert: AlertDetail, { event, reopened }: What): Pick<Message, "actor" | "occurred_at"> {
  // Not the caller: a resolution that is undone leaves the acknowledgement of somebody else.
  if (event === "alert.acknowledged") return { actor: alert.acknowledged_by, occurred_at: alert.acknowledged_at };
  const actor = ctx.actor.type === systemActor ? null : getActorName(ctx);
  return { actor, occurred_at: event === "alert.triggered" && !reopened ? alert.triggered_at : alert.updated_at };
}

/** A message with the state that the alert has just reached. */
function buildMessage(ctx: Ctx, alert: AlertDetail, what: What): Message {
  const at = new Date(Date.parse(alert.triggered_at) - lookBackMs).toISOString();
  return {
    event: what.event,
    ...describe(alert),
    links: {
      alert: `${env.PUBLIC_URL}/alerts/${alert.uid}`,
      device: `${env.PUBLIC_URL}/devices${alert.device_id === noDevice ? "" : `/${alert.device_id}`}`,
      recording: alert.recording_id && `${env.PUBLIC_URL}/recordings/${alert.recording_id}?t=${encodeURIComponent(at)}`,
    },
    reopened: what.reopened,
    ...listCause(ctx, alert, what),
  };
}

/** The actor's name as alerts show it: the username, or the name of a device or of the platform. */
export const getActorName = (ctx: Ctx): string => ctx.actor.username ?? ctx.actor.name;

/** Queues the message that the alert is new. The caller has locked the alert's row. */
export async function queueNewAlert(tx: Ctx, alertId: string, channelIds: readonly string[]): Promise<void> {
  if (channelIds.length === 0) return;
  const message = buildMessage(tx, await readAlert(tx, alertId), { event: "alert.triggered", reopened: false });
  await queueNotifications(tx, alertId, channelIds, message);
}

/**
 * Queues what the channels of an alert have to learn of its state, to be sent after a while without further changes.
 * Messages that wait for that are canceled unless they are a step on the way to this state. Channels that know it get
 * none. The caller has locked the alert's row.
 */
export async function queueState(tx: Ctx, alertId: string): Promise<void> {
  const waiting = await lockWaiting(tx, alertId);
  const channels = await listKnown(
    tx,
    alertId,
    waiting.map(({ uid }) => uid),
  );
  if (channels.length === 0) return;
  const alert = await readAlert(tx, alertId);
  for (const { channel_id: id, status: known } of channels) {
    const own = waiting.filter((message) => message.channel_id === id);
    const kept = own.filter(({ status }) => isStep(status, { known, now: alert.status }));
    await cancelNotifications(
      tx,
      own.filter((message) => !kept.includes(message)).map(({ uid }) => uid),
    );
    const change = toChange(kept.at(-1)?.status ?? known, alert.status);
    if (change) await queueNotifications(tx, alertId, [id], buildMessage(tx, alert, change));
  }
}

/** Describes alerts anew in messages that are still to be sent. The caller has locked the alerts' rows. */
export async function refreshMessages(tx: Ctx, alertIds: readonly string[]): Promise<void> {
  if (alertIds.length === 0) return;
  for (const alertId of await listWithUnsent(tx, alertIds))
    await refreshNotifications(tx, alertId, describe(await readAlert(tx, alertId)));
}

/** Like `refreshMessages` after an evaluation, which may have taken back what messages are about to say. */
export async function reviseMessages(tx: Ctx, alertIds: readonly string[]): Promise<void> {
  if (alertIds.length === 0) return;
  await refreshMessages(tx, alertIds);
  for (const alertId of await listContradicted(tx, alertIds)) await queueState(tx, alertId);
}

/**
 * Resolves an alert with the platform as actor and queues what its channels learn of that. The caller has locked the alert's row.
 */
export async function resolveByPlatform(
  tx: Ctx,
  uid: string,
  note: string,
  reason: string | null = null,
): Promise<void> {
  await execute(tx, resolution(uid, { by: getActorName(tx), note, reason }));
  await audit(tx, {
    action: "alert.resolved",
    targetType: "alert",
    targetId: uid,
    after: { status: "resolved", note },
  });
  await announce(tx, "alert", uid, "updated");
  await queueState(tx, uid);
}

/**
 * The statement that resolves an alert. It releases the deduplication key of a live alert, so that the next silence of
 * the device can open another.
 */
export const resolution = (
  uid: string,
  { by, note, reason }: { by: string; note: string; reason: string | null },
): Prisma.Sql =>
  Prisma.sql`update alerts set previous_status = status, status = 'resolved', resolved_at = now(), resolved_by = ${by},
      note = ${note}, resolution_reason = ${reason}, snoozed_until = null, updated_at = now(),
      dedupe_key = case when dedupe_key like 'live:%' then 'done:' || uid else dedupe_key end
    where uid = ${uid}`;
