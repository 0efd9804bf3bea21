import { databaseNow } from "@/server/platform/clock";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { text } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";

/** Age in days at which an upload to a dataset that is not finalized expires. */
const expireAfterDays = 7;
const batchSize = 100;

/**
 * Expires uploads that began seven days before `now` and are not finalized, and deletes their files. Returns how many.
 */
export async function expireDatasetUploads(now = databaseNow()): Promise<number> {
  const limit = new Date(now.getTime() - expireAfterDays * 24 * 3_600_000);
  const sessions = await query(
    { db: prisma },
    { uid: text },
    Prisma.sql`update upload_sessions set status = 'expired' where uid in (
        select uid from upload_sessions where dataset_id is not null and status = 'active' and created_at < ${limit}
        order by uid limit ${batchSize} for update skip locked) returning uid`,
  );
  for (const { uid } of sessions) {
    const files = await prisma.storedFile.findMany({ where: { sessionId: uid }, select: { storageKey: true } });
    for (const { storageKey } of files) {
      // The object stays in a customer's bucket that cannot be reached; the other files are deleted all the same.
      await objectStore()
        .delete(storageKey)
        .catch((error: unknown) =>
          logFor("datasets").warn({ err: error, upload: uid }, "a file of an expired upload was not deleted"),
        );
    }
  }
  return sessions.length;
}
