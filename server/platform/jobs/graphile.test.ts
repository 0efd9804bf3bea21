import { beforeAll, describe, expect, inject, test } from "vitest";
import { migrateDatabase } from "@/server/platform/database/migrate";
import { checkQueuePackage, countJobs, lockJob, releaseAllJobs } from "@/server/platform/jobs/graphile";
import { logFor } from "@/server/platform/log";
import { onServer, scratchDatabase } from "@/server/testing/database";

describe("the version of the job queue", () => {
  let url: string;
  beforeAll(async () => {
    url = await scratchDatabase(inject("testRun"));
  });

  test("that is installed is the supported one, and any other is refused by name", () => {
    expect(() => checkQueuePackage()).not.toThrow();
    expect(() => checkQueuePackage("0.18.0")).toThrow("and 0.18.0 is installed");
  });

  test("in a database is the supported one, or migrating it fails", async () => {
    const log = logFor("test");
    await migrateDatabase(url, log, []);
    await onServer(url, (client) => client.query("insert into graphile_worker.migrations (id) values (1000)"));
    await expect(migrateDatabase(url, log, [])).rejects.toThrow("of another version (migration 1000)");
  });
});

test("the jobs of a task are counted by their state, with how long the oldest has been due", async () => {
  const url = await scratchDatabase(inject("testRun"));
  await migrateDatabase(url, logFor("test"), []);
  const counts = await onServer(url, async (client) => {
    const add = async (runAt: string) => {
      const statement = `select id::text from graphile_worker.add_job('retired.task', run_at := now() - $1::interval,
        max_attempts := 1)`;
      const { rows } = await client.query<{ id: string }>(statement, [runAt]);
      return rows[0]?.id ?? "";
    };
    const ended = await add("1 minute");
    await lockJob(client, ended, "a worker that has ended");
    await releaseAllJobs(client);
    await lockJob(client, await add("1 minute"), "a worker");
    for (const runAt of ["-1 hour", "1 minute", "2 hours"]) await add(runAt);
    return countJobs(client);
  });
  expect(counts).toEqual([
    { task: "retired.task", waiting: 2, scheduled: 1, running: 1, exhausted: 1, oldest_seconds: expect.any(Number) },
  ]);
  expect(counts[0]?.oldest_seconds).toBeGreaterThanOrEqual(7_200);
});
