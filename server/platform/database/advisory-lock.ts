import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { bool, queryRows } from "@/server/platform/rows";

const pollMs = 200;
/** How long a statement waits at a time. */
const queuedMs = 5_000;
const lockNotAvailable = "55P03";

/** Takes an advisory lock for the session of `client`, if nobody holds it. */
export async function tryLock(client: pg.ClientBase, lock: number): Promise<boolean> {
  const [row] = await queryRows(client, { taken: bool }, "select pg_try_advisory_lock($1) as taken", [lock]);
  return row?.taken === true;
}

/**
 * Takes an advisory lock for the session of `client`, and waits while others hold it. It asks again and again: a statement
 * that waits in the database has a snapshot, for which vacuum and every index that is built concurrently wait, also those
 * of whoever holds the lock.
 */
export async function awaitLock(client: pg.ClientBase, lock: number): Promise<void> {
  while (!(await tryLock(client, lock))) await sleep(pollMs);
}

/**
 * The same for a lock that others share again and again, such as that of a backup: nobody new gets it while one waits in the
 * database, so that it is free as soon as those who have it are done. No wait is long, for the sake of vacuum.
 */
export async function queueForLock(client: pg.ClientBase, lock: number): Promise<void> {
  await client.query(`set lock_timeout = ${queuedMs}`);
  for (let waiting = true; waiting;) {
    try {
      await client.query("select pg_advisory_lock($1)", [lock]);
      waiting = false;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== lockNotAvailable) throw error;
    }
  }
  await client.query("reset lock_timeout");
}
