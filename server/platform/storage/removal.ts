import { pool } from "@/server/platform/db";
import { objectStore } from "@/server/platform/storage/current";

/** Held for as long as a backup reads: exclusively by it, shared by every removal. */
export const backupLock = 72_707_370;

/**
 * Removes everything below a prefix. Throws while a backup is being made, which still needs it; the job then tries
 * again.
 */
export async function removeStored(prefix: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const { rows } = await client.query<{ free: boolean }>("select pg_try_advisory_xact_lock_shared($1) as free", [
      backupLock,
    ]);
    if (!rows[0]?.free) throw new Error("a backup is being made; removed later");
    await objectStore().deletePrefix(prefix);
  } finally {
    await client.query("rollback").catch(() => {});
    client.release();
  }
}
