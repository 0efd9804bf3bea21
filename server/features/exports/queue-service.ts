import { concurrentExports, exportLifetimeDays, type ExportContents, type ExportStatus } from "@/domain/exports/schema";
import { enqueueStart, getExport, lockExport, recordAction } from "@/server/features/exports/service";
import { publish } from "@/server/features/platform-events/service";
import { databaseNow } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, transaction } from "@/server/platform/db";
import { isServiceError } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { announce } from "@/server/platform/realtime/changes";

/** How long an export can be downloaded, in milliseconds. */
const lifetimeMs = exportLifetimeDays * 24 * 3_600_000;

function nullIfMissing(error: unknown): null {
  if (isServiceError(error) && error.code === "not_found") return null;
  throw error;
}

/** Starts queued exports of an organization, the oldest first, up to `concurrentExports`. */
export async function startExports(organizationId: string): Promise<void> {
  await transaction(systemContext(prisma, organizationId, "exports"), async (tx) => {
    await execute(tx, Prisma.sql`select pg_advisory_xact_lock(hashtext(${`exports ${tx.organizationId}`}))`);
    const running = await tx.db.export.count({ where: { organizationId: tx.organizationId, status: "exporting" } });
    const next = await tx.db.export.findMany({
      where: { organizationId: tx.organizationId, status: "requested" },
      orderBy: { uid: "asc" },
      take: Math.max(0, concurrentExports - running),
      select: { uid: true },
    });
    for (const { uid } of next) {
      const { count } = await tx.db.export.updateMany({
        where: { uid, status: "requested" },
        data: { status: "exporting", exportedTaskCount: 0 },
      });
      if (count === 0) continue;
      await announce(tx, "export", uid, "updated");
      await enqueue(tx, jobs.runExport, { organizationId: tx.organizationId, exportId: uid });
    }
  });
}

/** The stored file of an export, or why it failed. */
export type Outcome =
  | { storageKey: string; sizeBytes: bigint; sha256: string; contents: ExportContents }
  | { error: string };

/**
 * Finishes a running export, in the transaction of `tx`, and publishes the event. Returns false when it was aborted or
 * deleted meanwhile.
 */
export async function finishExport(tx: Ctx, uid: string, outcome: Outcome): Promise<boolean> {
  const before = await lockExport(tx, uid).catch(nullIfMissing);
  if (before?.status !== "exporting") return false;
  const now = databaseNow();
  const status: ExportStatus = "error" in outcome ? "failed" : "exported";
  await tx.db.export.update({
    where: { uid },
    data:
      "error" in outcome
        ? { status, errorMessage: outcome.error, completedAt: now }
        : { status, ...outcome, completedAt: now, expiresAt: new Date(now.getTime() + lifetimeMs) },
  });
  await enqueueStart(tx);
  await recordAction(tx, before, status);
  const after = await getExport(tx, uid);
  await publish(tx, status === "exported" ? "export.completed" : "export.failed", {
    export_uid: uid,
    name: after.name,
    status,
    format: after.format,
    download_url: null, // signed when the event is sent
    created_at: after.created_at,
  });
  return true;
}
