import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { bool, queryRows } from "@/server/platform/rows";

const pollMs = 200;

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
