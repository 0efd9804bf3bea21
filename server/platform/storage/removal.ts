import pMap from "p-map";
import { pool } from "@/server/platform/db";
import { bool, queryRows } from "@/server/platform/rows";
import { backupLock, isLeased } from "@/server/platform/storage/backup-lease";
import { objectStore } from "@/server/platform/storage/current";
import { storeConcurrency } from "@/server/platform/storage/store";

/** A backup needs the files; they are removed later. */
export class BackupRunning extends Error {
  override readonly name = "BackupRunning";

  constructor() {
    super("a backup is being made; removed later");
  }
}

/** For a removal that another one does later, on which nothing depends. */
export const unlessBackup = (error: unknown): void => {
  if (!(error instanceof BackupRunning)) throw error;
};

/** Runs `remove`. Throws a BackupRunning while a backup needs the files. */
export async function betweenBackups(remove: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const statement = "select pg_try_advisory_xact_lock_shared($1) as free";
    const [lock] = await queryRows(client, { free: bool }, statement, [backupLock]);
    if (!lock?.free || (await isLeased(client))) throw new BackupRunning();
    await remove();
  } finally {
    await client.query("rollback").catch(() => {});
    client.release();
  }
}

/** Removes everything below a prefix that ends in `/`, or the object of any other key. Throws a BackupRunning. */
export const removeStored = (prefix: string): Promise<void> =>
  betweenBackups(() => (prefix.endsWith("/") ? objectStore().deletePrefix(prefix) : objectStore().delete(prefix)));

/** Removes the objects of keys. Throws a BackupRunning. */
export const removeObjects = (keys: readonly string[]): Promise<void> =>
  betweenBackups(async () => {
    await pMap(keys, (key) => objectStore().delete(key), { concurrency: storeConcurrency });
  });
