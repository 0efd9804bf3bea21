import { alertStatuses } from "@/domain/alerts/lifecycle";
import type { ResolveAlert } from "@/domain/alerts/schema";
import { nameAlert, readAlert } from "@/server/features/alerts/alert-queries";
import { getActorName, queueState, refreshMessages, resolution } from "@/server/features/alerts/messages-queries";
import type { Acknowledgement, AlertDetail } from "@/server/features/alerts/resource";
import { audit } from "@/server/features/audit/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { announce } from "@/server/platform/realtime/changes";
import { type Native, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";

const lockedAlertRow = {
  uid: text,
  status: oneOf(alertStatuses),
  previous_status: nullable(oneOf(alertStatuses)),
  rule_name: text,
  device_name: text,
  assignee_id: nullable(text),
  snoozed_until: nullable(timestamptz),
};
export type LockedAlert = Native<typeof lockedAlertRow>;

/**
 * Locks an alert's row until the transaction ends, so that concurrent changes happen one after the other. Throws
 * `not_found`.
 */
export async function lockAlert(tx: Ctx, uid: string): Promise<LockedAlert> {
  const [alert] = await query(
    tx,
    lockedAlertRow,
    Prisma.sql`select uid, status, previous_status, rule_name, device_name, assignee_id, snoozed_until from alerts
      where uid = ${uid} and organization_id = ${tx.organizationId} for update`,
  );
  if (!alert) throw notFound();
  return alert;
}

/** Writes the audit entry of a change of an alert, keeps waiting messages up to date, and notifies open pages. */
export async function recordChange(
  tx: Ctx,
  alert: Pick<LockedAlert, "uid" | "rule_name" | "device_name">,
  action: string,
  before: Record<string, unknown> | null,
  after: Record<string, unknown>,
): Promise<void> {
  await audit(tx, {
    action: `alert.${action}`,
    targetType: "alert",
    targetId: alert.uid,
    targetName: nameAlert(alert),
    before,
    after,
  });
  await refreshMessages(tx, [alert.uid]);
  await announce(tx, "alert", alert.uid, "updated");
}

/**
 * open → acknowledged by the caller; queues what the alert's channels learn of it. An acknowledged alert keeps its first name. Throws `not_found`; `invalid("status")` when it is resolved.
 */
export async function acknowledgeAlert(ctx: Ctx, uid: string): Promise<Acknowledgement> {
  return transaction(ctx, async (tx) => {
    const alert = await lockAlert(tx, uid);
    if (alert.status === "resolved") throw invalid("status", "A resolved alert cannot be acknowledged.");
    if (alert.status === "open") {
      await execute(
        tx,
        Prisma.sql`update alerts set status = 'acknowledged', acknowledged_at = now(), acknowledged_by = ${getActorName(tx)},
          updated_at = now() where uid = ${uid}`,
      );
      await recordChange(tx, alert, "acknowledged", { status: alert.status }, { status: "acknowledged" });
      await queueState(tx, uid);
    }
    const { status, acknowledged_at, acknowledged_by } = await readAlert(tx, uid);
    return { uid, status, acknowledged_at, acknowledged_by };
  });
}

/** open or acknowledged → resolved. Throws `not_found`; `invalid("status")` when it is already resolved. */
export async function resolveAlert(ctx: Ctx, uid: string, input: ResolveAlert): Promise<AlertDetail> {
  return transaction(ctx, async (tx) => {
    const alert = await lockAlert(tx, uid);
    if (alert.status === "resolved") throw invalid("status", "This alert is already resolved.");
    const { note = "", reason = null } = input;
    await execute(tx, resolution(uid, { by: getActorName(tx), note, reason }));
    await recordChange(tx, alert, "resolved", { status: alert.status }, { status: "resolved", note, reason });
    await queueState(tx, uid);
    return readAlert(tx, uid);
  });
}

/**
 * acknowledged → open, resolved → the previous status. Channels that know this status learn nothing, others that the alert
 * is reopened. Throws `not_found`; `invalid("status")` when it is open.
 */
export async function reopenAlert(ctx: Ctx, uid: string): Promise<AlertDetail> {
  return transaction(ctx, async (tx) => {
    const alert = await lockAlert(tx, uid);
    if (alert.status === "open") throw invalid("status", "This alert is open.");
    const wasResolved = alert.status === "resolved";
    const status = wasResolved ? (alert.previous_status ?? "open") : "open";
    await execute(
      tx,
      wasResolved
        ? Prisma.sql`update alerts set status = ${status}, previous_status = null, resolved_at = null, resolved_by = null,
            note = '', resolution_reason = null, updated_at = now() where uid = ${uid}`
        : Prisma.sql`update alerts set status = 'open', acknowledged_at = null, acknowledged_by = null, updated_at = now()
            where uid = ${uid}`,
    );
    await recordChange(tx, alert, "reopened", { status: alert.status }, { status });
    await queueState(tx, uid);
    return readAlert(tx, uid);
  });
}
