import { expect, test } from "vitest";
import { pool, prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { queueJobs } from "@/server/platform/jobs/graphile";
import { handle, handleReading } from "@/server/platform/jobs/handler";
import { enqueue } from "@/server/platform/jobs/queue";
import { sweeps } from "@/server/platform/jobs/schedule";
import { startWorker } from "@/server/platform/jobs/worker";
import { int4, nullable, queryRows, text } from "@/server/platform/rows";
import { unique } from "@/server/testing/factories";
import { queuedJobs, removeJobs } from "@/server/testing/queued-jobs";

/** The sessions that have the lock of whoever leads. */
const listLeaders = async () => {
  const statement = `select pid from pg_locks where locktype = 'advisory' and objid = 72707372 and granted
    and database = (select oid from pg_database where datname = current_database())`;
  return (await queryRows(pool, { pid: nullable(int4) }, statement)).map(({ pid }) => pid);
};

/** Ends the sessions over which workers wait for notifications, one of which has the lock. */
const loseNotifications = () =>
  pool.query(
    `select pg_terminate_backend(a.pid) from pg_stat_activity a
     where a.datname = current_database() and a.pid <> pg_backend_pid()
       and (a.query like 'LISTEN%' or a.pid in (select l.pid from pg_locks l where l.objid = 72707372)
         or a.query like '%pg_try_advisory_lock(%')`,
  );

const listSweeps = () =>
  queryRows(
    pool,
    { id: text },
    `select j.id::text from ${queueJobs} j where j.task = any($1) and j.locked_by is null`,
    [sweeps.map(({ job }) => job.name)],
  );

test("of two workers one enqueues the sweeps, and both run jobs, also when their notifications are lost", async () => {
  const removed: string[] = [];
  const remove = handle(jobs.deleteStoredKeys, ({ keys }) => Promise.resolve(void removed.push(...keys)));
  const workers = [await startWorker([remove]), await startWorker([remove])];
  try {
    await expect.poll(async () => (await listLeaders()).length).toBe(1);
    const [first] = await listLeaders();
    await expect.poll(async () => (await listSweeps()).length).toBe(sweeps.length);
    await removeJobs((await listSweeps()).map(({ id }) => id));

    const key = unique();
    await loseNotifications();
    await enqueue({ db: prisma }, jobs.deleteStoredKeys, { keys: [key] });
    await expect.poll(() => removed).toContain(key);
    await expect.poll(async () => (await listLeaders()).map((pid) => pid !== first)).toEqual([true]);
    await expect.poll(async () => (await listSweeps()).length).toBe(sweeps.length);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    await removeJobs((await listSweeps()).map(({ id }) => id));
  }
  await expect.poll(listLeaders).toEqual([]);
}, 100_000);

test("jobs in the background leave a slot of their process to others", async () => {
  const organizationId = unique();
  let end = () => {};
  const mayEnd = new Promise<void>((resolve) => (end = resolve));
  const begun: string[] = [];
  const wait = handle(jobs.runModel, ({ runId }) => (begun.push(runId), mayEnd));
  const other = handleReading(
    jobs.runExport,
    ({ exportId }) => Promise.resolve(void begun.push(exportId)),
    () => Promise.resolve(),
  );
  const runModel = (runId: string) =>
    enqueue({ db: prisma }, jobs.runModel, { organizationId, runId }, { background: true });
  // What other files left would take the slots.
  const left = [...(await queuedJobs(jobs.runModel, {})), ...(await queuedJobs(jobs.runExport, {}))];
  await removeJobs(left.map(({ id }) => id));
  // Both wait before the worker starts, so that its slots ask for them at the same moment.
  await runModel("first");
  await runModel("second");
  const worker = await startWorker([wait, other], { short: 1, small: 1, long: 2 });
  try {
    await expect.poll(() => begun).toEqual(["first"]);
    await enqueue({ db: prisma }, jobs.runExport, { organizationId, exportId: "export" });
    await expect.poll(() => begun).toEqual(["first", "export"]);
    end();
    await expect.poll(() => begun).toEqual(["first", "export", "second"]);
  } finally {
    end();
    await worker.stop();
    await removeJobs((await listSweeps()).map(({ id }) => id));
  }
}, 100_000);
