import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { text } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";

/** An upload to a dataset that was not finished for so long is given up. */
const silentDays = 7;
const bite = 100;

/**
 * Gives up uploads that began seven days before `now` and were not finished, with what came of their files; how many.
 */
export async function endSilentDatasetUploads(now = new Date()): Promise<number> {
  const limit = new Date(now.getTime() - silentDays * 24 * 3_600_000);
  const sessions = await query(
    { db: prisma },
    { uid: text },
    Prisma.sql`update upload_sessions set status = 'expired' where uid in (
        select uid from upload_sessions where dataset_id is not null and status = 'active' and created_at < ${limit}
        order by uid limit ${bite} for update skip locked) returning uid`,
  );
  for (const { uid } of sessions) {
    const files = await prisma.storedFile.findMany({ where: { sessionId: uid }, select: { storageKey: true } });
    for (const { storageKey } of files) {
      // A customer's bucket that cannot be reached keeps what lies in it, and holds up the files of nobody else.
      await objectStore()
        .delete(storageKey)
        .catch((error: unknown) => logFor("datasets").warn({ err: error, upload: uid }, "a file was not removed"));
    }
  }
  return sessions.length;
}
