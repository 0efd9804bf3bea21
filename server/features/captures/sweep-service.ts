import { toCapturePrefix } from "@/server/features/captures/service";
import { databaseNow } from "@/server/platform/clock";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query } from "@/server/platform/db";
import { text } from "@/server/platform/rows";
import { BackupRunning, removeStored } from "@/server/platform/storage/removal";

/** Captures of one run. */
const batchSize = 100;
/** One without an alert may be in the making for so long. */
const unfinishedMs = 3_600_000;

/** Removes captures whose alert or recording was deleted, and those that expired. Resolves to how many. */
export async function sweepCaptures(now = databaseNow()): Promise<number> {
  const due = await query(
    { db: prisma },
    { uid: text, organization_id: text },
    Prisma.sql`(select uid, organization_id from alert_captures
        where alert_id is null and created_at < ${new Date(now.getTime() - unfinishedMs)}
        order by created_at limit ${batchSize}::int)
      union all
      (select uid, organization_id from alert_captures where expires_at < ${now} and alert_id is not null
        order by expires_at limit ${batchSize}::int)`,
  );
  for (const [done, { uid, organization_id: organizationId }] of due.entries()) {
    try {
      await removeStored(toCapturePrefix({ organizationId, uid }));
    } catch (error) {
      if (error instanceof BackupRunning) return done; // the next sweep does the others
      throw error;
    }
    await prisma.alertCapture.deleteMany({ where: { uid } });
  }
  return due.length;
}
