import type { DemoPresence } from "@/domain/demo/choice";
import type { StartDemo } from "@/domain/demo/schema";
import { demoRecordings } from "@/server/demo/fleet";
import type { DemoStatus } from "@/server/demo/resource";
import { deleteAgent } from "@/server/features/agents/service";
import { audit } from "@/server/features/audit/service";
import { deleteChannel } from "@/server/features/channels/service";
import { deleteDataset, getDatasetByUid } from "@/server/features/datasets/service";
import { hasOwnDevice } from "@/server/features/devices/demo-queries";
import { deleteGroup } from "@/server/features/devices/group-service";
import { deleteDevice } from "@/server/features/devices/service";
import { deleteExport } from "@/server/features/exports/service";
import { stopImport } from "@/server/features/imports/service";
import { deleteRecording } from "@/server/features/recordings/service";
import { deleteRule } from "@/server/features/rules/service";
import { deleteSilence } from "@/server/features/silences/service";
import { deleteWebhook } from "@/server/features/webhooks/service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { conflict, forbidden } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue, jobState } from "@/server/platform/jobs/queue";
import { announce } from "@/server/platform/realtime/changes";
import { bool } from "@/server/platform/rows";

const jobKey = (ctx: Ctx): string => `demo.make:${ctx.organizationId}`;

const planned = demoRecordings(new Date(0), false).length;

/** The state of the demo fleet and the counts of its rows. */
export async function demoStatus(ctx: Ctx): Promise<DemoStatus> {
  const where = { organizationId: ctx.organizationId, demo: true };
  const job = await jobState(ctx, jobKey(ctx));
  const [devices, uploaded, processed, alerts, hasOwn, worst] = await Promise.all([
    ctx.db.device.count({ where }),
    ctx.db.recording.count({ where: { ...where, status: { not: "uploading" } } }),
    ctx.db.recording.count({ where: { ...where, status: { in: ["ready", "error", "archived"] } } }),
    ctx.db.alert.count({ where }),
    hasOwnDevice(ctx),
    ctx.db.alert.findFirst({
      where: { ...where, status: { not: "resolved" }, recordingId: { not: null } },
      orderBy: [{ severityRank: "desc" }, { uid: "asc" }],
      select: { uid: true },
    }),
  ]);
  const state = job ? (job === "exhausted" ? "failed" : "making") : devices > 0 ? "ready" : "none";
  return {
    state,
    devices,
    uploaded,
    processed,
    planned_recordings: planned,
    alerts,
    hidden: hasOwn && devices > 0,
    alert_id: worst?.uid ?? null,
  };
}

/** Whether there is demo data, and if so whether a device of the organization's own has reported. */
export async function demoPresence(ctx: Ctx): Promise<DemoPresence> {
  const org = ctx.organizationId;
  const [row] = await query(
    ctx,
    { present: bool, own_reports: bool },
    Prisma.sql`select d.present, d.present and exists (
        select 1 from devices where organization_id = ${org} and not demo and last_seen_at is not null) as own_reports
      from (select exists (select 1 from devices where organization_id = ${org} and demo)
        or exists (select 1 from recordings where organization_id = ${org} and demo)
        or exists (select 1 from alerts where organization_id = ${org} and demo) as present) d`,
  );
  return row ?? { present: false, own_reports: false };
}

/**
 * Queues the creation of the demo fleet; returns its status while it is being created. Throws `conflict` when it
 * exists.
 */
export async function startDemo(ctx: Ctx, { quick }: StartDemo = {}): Promise<DemoStatus> {
  const { userId, username, name } = ctx.actor;
  if (userId === null) throw forbidden("Only a person can ask for the demo fleet.");
  return transaction(ctx, async (tx) => {
    await execute(tx, Prisma.sql`select pg_advisory_xact_lock(hashtextextended(${jobKey(tx)}, 0))`);
    const status = await demoStatus(tx);
    if (status.state === "making") return status;
    if (status.state !== "none") throw conflict("The demo fleet is there already. Remove it first.");
    const { organizationId } = tx;
    await enqueue(
      tx,
      jobs.makeDemo,
      { organizationId, userId, username: username ?? name, now: databaseNow().toISOString(), ...(quick && { quick }) },
      { key: jobKey(tx) },
    );
    await audit(tx, { action: "demo.requested", targetType: "organization", targetId: organizationId });
    return demoStatus(tx);
  });
}

/**
 * Removes everything that is marked as demo in one transaction, including alerts, which otherwise outlive their device.
 * Files are deleted with their recordings; audit entries stay. Throws `invalid` when one of the organization's own
 * rules uses a demo channel, or one of its own projects the demo's dataset.
 */
export async function removeDemo(ctx: Ctx): Promise<void> {
  await transaction(ctx, removeAll, { attempts: 5 });
}

async function removeAll(tx: Ctx): Promise<void> {
  // A worker that is creating the fleet locks the job's row in each step, and stops once the row is deleted.
  await execute(tx, Prisma.sql`select graphile_worker.remove_job(${jobKey(tx)})`);
  const marked = {
    where: { organizationId: tx.organizationId, demo: true },
    select: { uid: true },
    orderBy: { uid: "asc" },
  } as const;
  const { organizationId } = tx;
  // The receivers first: what happens to their objects from here on is not sent any more.
  const webhooks = await tx.db.webhookSubscription.findMany(marked);
  const data = [
    [await tx.db.agent.findMany(marked), deleteAgent],
    [webhooks, deleteWebhook],
    [await tx.db.export.findMany(marked), deleteExport],
  ] as const;
  for (const [rows, remove] of data) for (const { uid } of rows) await remove(tx, uid);
  await tx.db.webhookDelivery.deleteMany({ where: { subscriptionId: { in: webhooks.map(({ uid }) => uid) } } });
  const projects = await tx.db.project.findMany(marked);
  const unfinished = await tx.db.annotationImport.findMany({
    where: { organizationId, projectId: { in: projects.map(({ uid }) => uid) }, completedAt: null },
    select: { uid: true },
    orderBy: { uid: "asc" },
  });
  for (const { uid } of unfinished) await stopImport(tx, uid);
  await tx.db.project.deleteMany({ where: { organizationId, demo: true } });
  for (const { uid } of await tx.db.dataset.findMany(marked)) {
    const { owner_name: owner, slug } = await getDatasetByUid(tx, uid);
    await deleteDataset(tx, { owner, slug });
  }

  const recordings = await tx.db.recording.findMany(marked);
  for (const { uid } of recordings) await deleteRecording(tx, uid);

  const alerts = await tx.db.alert.findMany(marked);
  await tx.db.alert.deleteMany({ where: { organizationId, demo: true } });
  for (const { uid } of alerts) await announce(tx, "alert", uid, "deleted");

  const kinds = [
    [await tx.db.silence.findMany(marked), deleteSilence],
    [await tx.db.rule.findMany(marked), deleteRule],
    [await tx.db.channel.findMany(marked), deleteChannel],
    [await tx.db.deviceGroup.findMany(marked), deleteGroup],
    [await tx.db.device.findMany(marked), deleteDevice],
  ] as const;
  for (const [rows, remove] of kinds) for (const { uid } of rows) await remove(tx, uid);

  const removed = { recordings: recordings.length, alerts: alerts.length, devices: kinds[4][0].length };
  if (Object.values(removed).every((count) => count === 0)) return;
  await audit(tx, { action: "demo.removed", targetType: "organization", targetId: organizationId, before: removed });
}
