import { audit } from "@/server/features/audit/service";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction } from "@/server/platform/db";
import { announce } from "@/server/platform/realtime/changes";
import { text } from "@/server/platform/rows";

/** An upload without a sign of its uploader for this long is given up. */
const silentDays = 7;
/** How many one call ends at most, so that a backlog never holds many rows locked. */
export const expiryBite = 500;

/** Turns up to `expiryBite` uploads silent for seven days at `now` into errors; how many. */
export async function endSilentUploads(now = new Date()): Promise<number> {
  const limit = new Date(now.getTime() - silentDays * 24 * 3_600_000);
  return transaction({ db: prisma }, async (tx) => {
    const message = `The upload was not finished: nothing arrived for ${silentDays} days.`;
    const rows = await query(
      tx,
      { uid: text, organization_id: text, name: text },
      Prisma.sql`update recordings set status = 'error', error_message = ${message}, updated_at = now()
        where uid in (select uid from recordings where status = 'uploading' and active_at < ${limit}
          order by active_at limit ${expiryBite} for update skip locked)
        returning uid, organization_id, name`,
    );
    for (const row of rows) {
      const ctx = systemContext(tx.db, row.organization_id);
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
