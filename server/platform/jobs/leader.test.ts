import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { pool } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { Leader } from "@/server/platform/jobs/leader";
import { startDatabaseProxy } from "@/server/testing/database-proxy";

const limits = { everyMs: 50, answerMs: 1_000 };
const open: pg.Pool[] = [];

/** A process that may lead, on a connection of its own, as graphile-worker's that waits for notifications. */
async function candidate(url = env.DATABASE_URL) {
  const own = new pg.Pool({ connectionString: url, max: 1 });
  own.on("error", () => {});
  open.push(own);
  const client = await own.connect();
  const work = { begun: 0, ended: 0 };
  const leader = new Leader(() => {
    work.begun++;
    return () => void work.ended++;
  }, limits);
  client.on("error", () => leader.leave(client));
  const pid = (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid;
  leader.follow(client);
  await client.query("listen leader_test");
  const stop = async () => {
    leader.leave(client);
    await client.query("unlisten leader_test");
    client.release();
  };
  return { leader, work, pid, stop };
}

const leads = ({ leader }: Awaited<ReturnType<typeof candidate>>) => expect.poll(() => leader.isLeading);

afterEach(async () => {
  for (const each of open.splice(0)) void each.end();
});

test("one of two processes leads; when its session ends it stops at once, and the other one leads", async () => {
  const first = await candidate();
  await leads(first).toBe(true);
  const second = await candidate();
  await pool.query("select pg_terminate_backend($1)", [first.pid]);
  await leads(second).toBe(true);
  await leads(first).toBe(false);
  expect([first.work, second.work]).toEqual([
    { begun: 1, ended: 1 },
    { begun: 1, ended: 0 },
  ]);
  // It stops on its own account too, although its connection goes on for others.
  const third = await candidate();
  await second.stop();
  await leads(third).toBe(true);
  expect(second.work).toEqual({ begun: 1, ended: 1 });
  await third.stop();
});

test("a process whose connection does not answer any more stops leading", async () => {
  const proxy = await startDatabaseProxy(env.DATABASE_URL ?? "");
  const cut = await candidate(proxy.url);
  await leads(cut).toBe(true);
  proxy.silence();
  await leads(cut).toBe(false);
  expect(cut.work).toEqual({ begun: 1, ended: 1 });
  await proxy.close();
});
