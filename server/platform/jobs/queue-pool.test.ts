import { run, type Task } from "graphile-worker";
import { expect, test } from "vitest";
import { pool } from "@/server/platform/db";
import { holdAttempt, queueJobs } from "@/server/platform/jobs/graphile";
import { graphileLogger } from "@/server/platform/jobs/graphile-log";
import { QueuePool } from "@/server/platform/jobs/queue-pool";
import { logFor } from "@/server/platform/log";
import { bool, queryRows, text } from "@/server/platform/rows";
import { unique } from "@/server/testing/factories";

/** Ends the connection over which graphile-worker records the result of a job, while it waits for the job's row. */
async function endWhileRecording(task: string, work: Task): Promise<{ isRunning: boolean }> {
  let isRunning = true;
  let start = () => {};
  const mayEnd = new Promise<void>((resolve) => (start = resolve));
  const runner = await run({
    pgPool: new QueuePool(pool),
    noHandleSignals: true,
    logger: graphileLogger(logFor("test")),
    taskList: {
      [task]: async (...given) => {
        await mayEnd;
        await work(...given);
      },
    },
    parsedCronItems: [],
  });
  void runner.promise.finally(() => (isRunning = false)).catch(() => {});
  const jobsLeft = () =>
    queryRows(
      pool,
      { id: text, locked: bool, exhausted: bool },
      `select j.id::text, j.locked_by is not null as locked, j.exhausted from ${queueJobs} j where j.task = $1`,
      [task],
    );
  await pool.query("select graphile_worker.add_job($1, max_attempts := 1)", [task]);
  await expect.poll(async () => (await jobsLeft())[0]?.locked).toBe(true);
  const holder = await pool.connect();
  try {
    await holder.query("begin");
    const [job] = await jobsLeft();
    expect(await holdAttempt(holder, { jobId: job?.id ?? "", attempt: 1 })).toBe(true);
    start();
    const ended = async () =>
      (
        await pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and query ~ '_jobs' and pid <> pg_backend_pid()`,
        )
      ).rowCount;
    await expect.poll(ended).toBe(1);
  } finally {
    await holder.query("rollback");
    holder.release();
  }
  const isRecorded = async () => (await jobsLeft()).every(({ exhausted }) => exhausted);
  await expect.poll(isRecorded).toBe(true);
  const state = { isRunning };
  await runner.stop();
  return state;
}

test.each([
  ["done", () => Promise.resolve()],
  ["failed", () => Promise.reject(new Error("it failed"))],
] as [string, Task][])(
  "a job is recorded as %s, and its worker keeps running, although PostgreSQL ended the connection meanwhile",
  async (_how, work) => {
    expect(await endWhileRecording(unique("task"), work)).toEqual({ isRunning: true });
  },
);
