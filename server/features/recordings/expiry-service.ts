import { audit } from "@/server/features/audit/service";
import { databaseNow } from "@/server/platform/clock";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { announce } from "@/server/platform/realtime/changes";
import { text } from "@/server/platform/rows";

/** Days without activity of the uploader after which an upload fails. */
const maxInactiveDays = 7;
/** The maximum of uploads that one call expires, so that a backlog never locks many rows. */
export const expiryBatchSize = 500;

/**
 * Sets up to `expiryBatchSize` uploads that were inactive for seven days at `now` to `error`; their unconfirmed files
 * are removed afterwards. Returns how many.
 */
export async function expireInactiveUploads(now = databaseNow()): Promise<number> {
  const limit = new Date(now.getTime() - maxInactiveDays * 24 * 3_600_000);
  return transaction({ db: prisma }, async (tx) => {
    const message = `The upload was not finished: nothing arrived for ${maxInactiveDays} days.`;
    const rows = await query(
      tx,
      { uid: text, organization_id: text, name: text },
      Prisma.sql`update recordings set status = 'error', error_message = ${message}, updated_at = now()
        where uid in (select uid from recordings where status = 'uploading' and active_at < ${limit}
          order by active_at limit ${expiryBatchSize} for update skip locked)
        returning uid, organization_id, name`,
    );
    for (const row of rows) {
      const ctx = systemContext(tx.db, row.organization_id);
      await tx.db.uploadSession.updateMany({ where: { recordingId: row.uid }, data: { status: "expired" } });
      await enqueue(ctx, jobs.removeUnconfirmed, { organizationId: row.organization_id, recordingId: row.uid });
      await audit(ctx, {
        action: "recording.upload_expired",
        targetType: "recording",
        targetId: row.uid,
        targetName: row.name,
        before: { status: "uploading" },
        after: { status: "error" },
      });
      await announce(ctx, "recording", row.uid, "updated");
    }
    return rows.length;
  });
}
