import { noDevice } from "@/domain/alerts/lifecycle";
import { readAlert } from "@/server/features/alerts/alert-queries";
import type { AlertDetail } from "@/server/features/alerts/resource";
import { audit } from "@/server/features/audit/service";
import type { AlertEvent, Message } from "@/server/features/channels/message";
import { queueNotifications, listNotifiedChannels } from "@/server/features/channels/queue-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { announce } from "@/server/platform/realtime/changes";

/** How long before the trigger the link into the recording starts, in milliseconds. */
const lookBackMs = 5_000;

const systemActor = "system";

/** A message with the current state of the alert. */
function buildMessage(ctx: Ctx, alert: AlertDetail, event: AlertEvent, reopened = false): Message {
  const { evidence, ...rest } = alert;
  const at = new Date(Date.parse(alert.triggered_at) - lookBackMs).toISOString();
  return {
    event,
    alert: rest,
    rule: { uid: alert.rule_id, name: alert.rule_name, version: alert.rule_version },
    evidence,
    links: {
      alert: `${env.PUBLIC_URL}/alerts/${alert.uid}`,
      device: `${env.PUBLIC_URL}/devices${alert.device_id === noDevice ? "" : `/${alert.device_id}`}`,
      recording: alert.recording_id && `${env.PUBLIC_URL}/recordings/${alert.recording_id}?t=${encodeURIComponent(at)}`,
    },
    actor: ctx.actor.type === systemActor ? null : getActorName(ctx),
    reopened,
  };
}

/** The actor's name as alerts show it: the username, or the name of a device or of the platform. */
export const getActorName = (ctx: Ctx): string => ctx.actor.username ?? ctx.actor.name;

/** Queues a message with the current state of the alert to the channels. The caller has locked the alert's row. */
export async function queueAlertMessages(
  tx: Ctx,
  alertId: string,
  event: AlertEvent,
  channelIds: readonly string[],
  reopened = false,
): Promise<void> {
  if (channelIds.length === 0) return;
  await queueNotifications(tx, alertId, channelIds, buildMessage(tx, await readAlert(tx, alertId), event, reopened));
}

/**
 * Resolves an alert with the platform as actor and notifies the channels that were notified of it. The caller has
 * locked the alert's row.
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
  await queueAlertMessages(tx, uid, "alert.resolved", await listNotifiedChannels(tx, uid));
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
