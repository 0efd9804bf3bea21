import { alertCourses, type Step } from "@/server/demo/courses";
import { createComment } from "@/server/features/alerts/comments-service";
import { acknowledgeAlert, resolveAlert } from "@/server/features/alerts/state-service";
import { assignAlert, snoozeAlert } from "@/server/features/alerts/triage-service";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";

/** Brings the demo's alerts into all states. Alerts that an earlier attempt changed are skipped. */
export async function applyDemoAlertSteps(
  ctx: Ctx,
  { now, userId }: { now: Date; userId: string },
  step: <T>(work: (tx: Ctx) => Promise<T>) => Promise<T>,
): Promise<void> {
  const rows = await ctx.db.alert.findMany({
    where: { organizationId: ctx.organizationId, demo: true },
    select: { uid: true, ruleName: true, deviceName: true, triggeredAt: true },
  });
  const alerts = rows.map((row) => ({
    uid: row.uid,
    rule_name: row.ruleName,
    device_name: row.deviceName,
    triggered_at: row.triggeredAt.toISOString(),
  }));
  for (const { uid, steps } of alertCourses(alerts, now)) {
    // All steps of an alert in one transaction; an alert that a person changed is skipped.
    if (steps.length > 0) await step((tx) => applySteps(tx, uid, steps, userId));
  }
}

async function applySteps(tx: Ctx, uid: string, steps: readonly Step[], userId: string): Promise<void> {
  const alert = await tx.db.alert.findFirst({
    where: { uid, organizationId: tx.organizationId },
    select: { status: true, assigneeId: true, snoozedUntil: true, _count: { select: { comments: true } } },
  });
  const untouched =
    alert?.status === "open" && alert.assigneeId === null && alert.snoozedUntil === null && alert._count.comments === 0;
  if (untouched) for (const each of steps) await applyStep(tx, uid, each, userId);
}

async function applyStep(tx: Ctx, uid: string, step: Step, userId: string): Promise<void> {
  switch (step.do) {
    case "acknowledge":
      return void (await acknowledgeAlert(tx, uid));
    case "assign":
      return void (await assignAlert(tx, uid, { assignee: userId }));
    case "resolve":
      return void (await resolveAlert(tx, uid, { reason: step.reason, note: step.note }));
    case "comment":
      return void (await createComment(tx, uid, { body: step.body }));
    case "snooze":
      return void (step.until.getTime() > databaseMs() && (await snoozeAlert(tx, uid, { until: step.until })));
  }
}
