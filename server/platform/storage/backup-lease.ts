import type pg from "pg";
import { bool, queryRows } from "@/server/platform/rows";

/**
 * An advisory lock: exclusive for the session of a backup, shared for removals. A backup takes it before its lease, and so
 * waits for removals that have begun; those of the version before respect nothing else.
 */
export const backupLock = 72_707_370;

/** What a backup holds: everything, no files, or those that an earlier one lacks. */
export type BackupKind = "full" | "without_files" | "since";

/**
 * How long files are protected without a renewal, in seconds: a backup that was killed keeps them for so long at most.
 * It renews its lease several times within that.
 */
export const leaseSeconds = 900;
export const renewSeconds = 60;

/**
 * Notes a backup and protects all stored files from removal, before it reads which files there are. The caller holds the
 * exclusive `backupLock`, so that no removal runs that has not seen the lease.
 */
export async function beginBackup(client: pg.ClientBase, id: string, kind: BackupKind): Promise<void> {
  await client.query("delete from backups where started_at < now() - interval '400 days'");
  await client.query(
    "insert into backups (id, kind, files_until) values ($1, $2, now() + make_interval(secs => $3::int))",
    [id, kind, leaseSeconds],
  );
}

/** False: the lease is over, and files may have been removed since. It is not taken up again. */
export async function renewLease(client: pg.ClientBase, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    "update backups set files_until = now() + make_interval(secs => $2::int) where id = $1 and files_until > now()",
    [id, leaseSeconds],
  );
  return rowCount === 1;
}

/** Ends the protection of files. A backup that is `complete` counts as the last one from now on. */
export async function endBackup(client: pg.ClientBase, id: string, complete: boolean): Promise<void> {
  await client.query(
    "update backups set files_until = null, finished_at = case when $2::boolean then now() end where id = $1",
    [id, complete],
  );
}

/** Ends all leases, in a database whose backups run elsewhere. */
export async function endAllLeases(client: pg.ClientBase): Promise<void> {
  await client.query("update backups set files_until = null where files_until is not null");
}

/** Whether a backup that runs, or was killed a short while ago, needs the stored files. */
export async function isLeased(client: pg.ClientBase): Promise<boolean> {
  const statement = "select exists (select from backups where files_until > now()) as leased";
  const [row] = await queryRows(client, { leased: bool }, statement);
  return row?.leased === true;
}
