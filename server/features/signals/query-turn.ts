import { pool } from "@/server/platform/db";
import { requireCaller, ServiceError } from "@/server/platform/errors";
import { processWide } from "@/server/platform/process-wide";
import { bool, queryRows } from "@/server/platform/rows";

/** The class of the advisory locks of queries. */
const lockClass = 72_707_371;
/** Queries that run at one time in the installation, whatever the number of its processes. */
const slots = 2;
const retryAfterSeconds = 5;
/** The database ends a transaction that is idle for a minute; fetching files may take longer. */
const keepAliveMs = 20_000;

/** What runs in this process, by organization. */
const running = processWide(
  "runningQueries",
  () => new Map<string, { signal: AbortSignal | undefined; ended: Promise<void> }>(),
);

/** Waits for a query that was cancelled to end, so that the next one is not refused because of it. */
async function waitForCancelled(organizationId: string): Promise<void> {
  const before = running.get(organizationId);
  if (before?.signal?.aborted) await before.ended;
}

const busy = (): ServiceError =>
  new ServiceError("throttled", { detail: "Another query is running. Try again in a few seconds.", retryAfterSeconds });

/**
 * Runs `work` while this organization has no other query, and the installation at most one. Throws `throttled`
 * otherwise, and `cancelled` where the caller has gone meanwhile. The database holds the places, so that they end with a
 * process that is killed.
 */
export async function inQueryTurn<T>(organizationId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  await waitForCancelled(organizationId);
  const client = await pool.connect();
  const take = async (statement: string, values: unknown[]): Promise<boolean> => {
    const [row] = await queryRows(client, { free: bool }, statement, values);
    return row?.free === true;
  };
  let end = () => {};
  try {
    requireCaller(signal);
    await client.query("begin");
    const ofOrganization = "select pg_try_advisory_xact_lock($1, hashtext($2)) as free";
    if (!(await take(ofOrganization, [lockClass, organizationId]))) throw busy();
    let slot = 0;
    const ofSlot = "select pg_try_advisory_xact_lock($1, $2) as free";
    while (slot < slots && !(await take(ofSlot, [lockClass + 1, slot]))) slot++;
    if (slot === slots) throw busy();
    const ended = new Promise<void>((resolve) => {
      end = () => {
        if (running.get(organizationId)?.ended === ended) running.delete(organizationId);
        resolve();
      };
    });
    running.set(organizationId, { signal, ended });
    const keepAlive = setInterval(() => void client.query("select 1").catch(() => {}), keepAliveMs);
    try {
      return await work();
    } finally {
      clearInterval(keepAlive);
    }
  } finally {
    await client.query("rollback").catch(() => {});
    client.release();
    end();
  }
}
