import pMap from "p-map";
import { pool } from "@/server/platform/db";
import { bool, queryRows } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { storeConcurrency } from "@/server/platform/storage/store";

/** An advisory lock: exclusive for a backup while it reads, shared for removals. */
export const backupLock = 72_707_370;

/** Runs `remove`. Throws while a backup, which needs the files, is made; the job is retried. */
export async function betweenBackups(remove: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const statement = "select pg_try_advisory_xact_lock_shared($1) as free";
    const [lock] = await queryRows(client, { free: bool }, statement, [backupLock]);
    if (!lock?.free) throw new Error("a backup is being made; removed later");
    await remove();
  } finally {
    await client.query("rollback").catch(() => {});
    client.release();
  }
}

/** Removes everything below a prefix that ends in `/`, or the object of any other key. Throws while a backup is made. */
export const removeStored = (prefix: string): Promise<void> =>
  betweenBackups(() => (prefix.endsWith("/") ? objectStore().deletePrefix(prefix) : objectStore().delete(prefix)));

/** Removes the objects of keys. Throws while a backup is made. */
export const removeObjects = (keys: readonly string[]): Promise<void> =>
  betweenBackups(async () => {
    await pMap(keys, (key) => objectStore().delete(key), { concurrency: storeConcurrency });
  });
