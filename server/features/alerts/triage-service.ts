import type { AssignAlert, BulkAlerts, SnoozeAlert } from "@/domain/alerts/schema";
import { readAlert } from "@/server/features/alerts/alert-queries";
import type { AlertDetail, BulkResult } from "@/server/features/alerts/resource";
import {
  acknowledgeAlert,
  lockAlert,
  recordChange,
  reopenAlert,
  resolveAlert,
} from "@/server/features/alerts/state-service";
import { findMember } from "@/server/features/membership/find-member-queries";
import { inBulk } from "@/server/platform/bulk";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";

/** Assigns an alert to a member, or to nobody. Throws `not_found`, `invalid("assignee")`. */
export async function assignAlert(ctx: Ctx, uid: string, { assignee }: AssignAlert): Promise<AlertDetail> {
  return transaction(ctx, async (tx) => {
    const alert = await lockAlert(tx, uid);
    const member = assignee === null ? null : await findMember(tx, assignee, "assignee");
    if (alert.assignee_id !== (member?.uid ?? null)) {
      await execute(
        tx,
        Prisma.sql`update alerts set assignee_id = ${member?.uid ?? null}, updated_at = now() where uid = ${uid}`,
      );
      await recordChange(tx, alert, member ? "assigned" : "unassigned", null, { assignee: member?.username ?? null });
    }
    return readAlert(tx, uid);
  });
}

/** Snoozes an alert until a time; null ends the snooze. Throws `not_found`, `invalid("until" | "status")`. */
export async function snoozeAlert(ctx: Ctx, uid: string, { until }: SnoozeAlert): Promise<AlertDetail> {
  return transaction(ctx, async (tx) => {
    const alert = await lockAlert(tx, uid);
    if (until !== null && until.getTime() <= databaseMs()) throw invalid("until", "Ensure this time is in the future.");
    if (alert.status === "resolved") throw invalid("status", "A resolved alert cannot be snoozed.");
    if (alert.snoozed_until?.getTime() !== until?.getTime()) {
      await execute(
        tx,
        Prisma.sql`update alerts set snoozed_until = ${until}::timestamptz, updated_at = now() where uid = ${uid}`,
      );
      await recordChange(tx, alert, until ? "snoozed" : "woken", null, { snoozed_until: until?.toISOString() ?? null });
    }
    return readAlert(tx, uid);
  });
}

const selectAction = (input: BulkAlerts): ((ctx: Ctx, uid: string) => Promise<Pick<AlertDetail, "status">>) => {
  const { note, reason, assignee, until } = input;
  switch (input.action) {
    case "acknowledge":
      return acknowledgeAlert;
    case "reopen":
      return reopenAlert;
    case "resolve":
      return (ctx, uid) => resolveAlert(ctx, uid, { note, reason });
    case "assign":
      if (assignee === undefined) throw invalid("assignee", "This field is required.");
      return (ctx, uid) => assignAlert(ctx, uid, { assignee });
    case "snooze":
      if (until === undefined) throw invalid("until", "This field is required.");
      return (ctx, uid) => snoozeAlert(ctx, uid, { until });
  }
};

/** How many alerts of one request are changed concurrently. */
const concurrency = 8;

/** Applies an action to many alerts, each in its own transaction. Results, with errors, are in the order requested. */
export async function bulkAlerts(ctx: Ctx, input: BulkAlerts): Promise<BulkResult> {
  const act = selectAction(input);
  const applyTo = async (uid: string) => ({ status: (await act(ctx, uid)).status });
  const { results, ...counts } = await inBulk("alert", input.uids, applyTo, concurrency);
  return { results: results.map((result) => ({ status: null, ...result })), ...counts };
}
