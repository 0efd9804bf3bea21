import type { EvidenceOf } from "@/domain/alerts/evidence";
import type { TestAlert } from "@/domain/alerts/inbox-schema";
import { noDevice } from "@/domain/alerts/lifecycle";
import { nsFromMs } from "@/domain/time/nanoseconds";
import { getActorName } from "@/server/features/alerts/messages-queries";
import { raiseAlert } from "@/server/features/alerts/raise-service";
import { audit } from "@/server/features/audit/service";
import { existingChannels } from "@/server/features/channels/queue-service";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { announce } from "@/server/platform/realtime/changes";
import { nullable, text } from "@/server/platform/rows";
import { newUid } from "@/server/platform/uid";

/** The kind of evidence of a test alert; no rule writes it. */
const kind = "test";

/**
 * Raises an alert that passes through silences, channels, inbox and open pages as a real one does, without a rule or a
 * device. Throws `invalid("channel_ids")`.
 */
export async function raiseTestAlert(
  ctx: Ctx,
  { severity, channel_ids: channelIds }: TestAlert,
): Promise<{ uid: string; silenced: boolean }> {
  return transaction(ctx, async (tx) => {
    const known = await existingChannels(tx, channelIds);
    const missing = channelIds.filter((id) => !known.includes(id));
    if (missing.length > 0) throw invalid("channel_ids", "One of the channels does not exist any more.");
    const { alertId: uid, silenced } = await raiseAlert(tx, {
      // A new uid of a rule that does not exist: test alerts are not deduplicated.
      rule: { uid: newUid("rule"), name: "Test alert", version: 0 },
      device: { uid: noDevice, name: "No device" },
      recordingId: null,
      severity,
      message: `${getActorName(tx)} sent this to see that alerts arrive. Nothing is wrong.`,
      triggeredNs: nsFromMs(databaseMs()),
      evidence: { kind } satisfies EvidenceOf<"test">,
      occurrenceCount: 1,
      channelIds: known,
      notify: true,
    });
    return { uid, silenced };
  });
}

/**
 * Removes a test alert with everything about it. Throws `not_found`; `invalid("uid")` for an alert that a rule raised.
 */
export async function removeTestAlert(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const [alert] = await query(
      tx,
      { kind: nullable(text), message: text },
      Prisma.sql`select evidence->>'kind' as kind, message from alerts
        where uid = ${uid} and organization_id = ${tx.organizationId} for update`,
    );
    if (!alert) throw notFound();
    if (alert.kind !== kind) throw invalid("uid", "Only test alerts can be removed. Resolve this one instead.");
    await execute(tx, Prisma.sql`delete from alerts where uid = ${uid}`);
    await audit(tx, {
      action: "alert.removed",
      targetType: "alert",
      targetId: uid,
      targetName: alert.message.slice(0, 200),
    });
    await announce(tx, "alert", uid, "deleted");
  });
}
