import { databaseNow } from "@/server/platform/clock";
import { prisma } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { BackupRunning, removeStored } from "@/server/platform/storage/removal";

/** Deletes the files of expired exports. Returns how many. */
export async function expireExports(now = databaseNow()): Promise<number> {
  const rows = await prisma.export.findMany({
    where: { expiresAt: { lt: now }, storageKey: { not: null } },
    take: 100,
    select: { uid: true, storageKey: true },
  });
  for (const { uid, storageKey } of rows) {
    try {
      if (storageKey !== null) await removeStored(storageKey);
    } catch (error) {
      if (error instanceof BackupRunning) return 0; // the next sweep does it
      // The object stays in a customer's bucket that cannot be reached; no link leads to it.
      logFor("exports").warn({ err: error, export: uid }, "the file of an expired export was not deleted");
    }
    await prisma.export.update({ where: { uid }, data: { storageKey: null } });
  }
  return rows.length;
}
