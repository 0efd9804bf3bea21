import { afterEach, expect, test } from "vitest";
import { Prisma } from "@/server/platform/database/generated/client";
import { pool } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";
import { sweeps } from "@/server/platform/jobs/schedule";
import { enqueueDue, startSweeps } from "@/server/platform/jobs/sweeps";
import { bool, queryRows } from "@/server/platform/rows";
import { compose } from "@/server/testing/composition";
import { makeOrganization } from "@/server/testing/factories";
import { queuedJobs, removeJobs } from "@/server/testing/queued-jobs";

const listQueued = async () => {
  const found = await Promise.all(sweeps.map(async ({ job }) => [job.name, await queuedJobs(job)] as const));
  return new Map(found.filter(([, queued]) => queued.length > 0));
};
const clear = async () => removeJobs([...(await listQueued()).values()].flat().map(({ id }) => id));

afterEach(clear);

test("a sweep is enqueued when there is anything to do or it does not say, and else not", async () => {
  await clear();
  const nothing = () => Promise.resolve();
  const handlers = [
    handle(jobs.wakeWebhooks, nothing, Prisma.sql`1 = 1`),
    handle(jobs.wakeAgents, nothing, Prisma.sql`1 = 2`),
    handle(jobs.wakeNotifications, nothing),
  ];
  await enqueueDue([jobs.wakeWebhooks, jobs.wakeAgents, jobs.wakeNotifications], handlers);
  expect([...(await listQueued()).keys()].sort()).toEqual([jobs.wakeNotifications.name, jobs.wakeWebhooks.name]);
});

test("whoever begins to lead enqueues every sweep at once, also those of long intervals", async () => {
  await clear();
  const stop = startSweeps([]);
  await expect.poll(async () => (await listQueued()).size).toBe(sweeps.length);
  stop();
});

test("what the sweeps of every second have to do is found by their expressions", async () => {
  const { handlers } = await compose("job-handlers");
  const org = await makeOrganization();
  const due = new Map(handlers.flatMap((each) => (each.due ? [[each.definition.name, each.due] as const] : [])));
  const client = await pool.connect();
  const ask = async () => {
    const names: string[] = [];
    for (const [name, { text, values }] of due) {
      const [row] = await queryRows(client, { due: bool }, `select ${text} as due`, values);
      if (row?.due) names.push(name);
    }
    return names.sort();
  };
  /** What is due with these rows, which nobody else sees, and no others. */
  const withRows = async (...statements: string[]) => {
    await client.query("begin");
    try {
      for (const table of ["notifications", "webhook_deliveries", "webhook_replays", "agent_executions", "item_counts"])
        await client.query(`delete from ${table}`);
      await client.query("update rules set enabled = false where live");
      await client.query("set local session_replication_role = replica");
      for (const statement of statements) await client.query(statement, [org.uid]);
      return await ask();
    } finally {
      await client.query("rollback");
    }
  };
  try {
    const at = (time: string) => `now() + interval '${time}'`;
    const notification = (time: string) => `insert into notifications
      (uid, organization_id, channel_id, event, dedupe_key, payload, next_attempt_at, updated_at)
      values ('ntf_due', $1, 'chn', 'x', 'ntf_due', '{}', ${at(time)}, now())`;
    const delivery = (time: string) => `insert into webhook_deliveries
      (uid, organization_id, subscription_id, event_type, payload, next_attempt_at, updated_at)
      values (gen_random_uuid(), $1, gen_random_uuid(), 'x', '{}', ${at(time)}, now())`;
    const execution = (next: string, deadline: string) => `insert into agent_executions
      (uid, organization_id, agent_id, event_type, event_payload, next_attempt_at, deadline, updated_at)
      values (gen_random_uuid(), $1, gen_random_uuid(), 'x', '{}', ${at(next)}, ${at(deadline)}, now())`;
    const replay = (
      status: string,
    ) => `insert into webhook_replays (uid, organization_id, subscription_id, status, total)
      values (gen_random_uuid(), $1, gen_random_uuid(), '${status}', 1)`;
    const rule = (enabled: boolean) => `insert into rules
      (uid, organization_id, name, enabled, condition_type, condition, actions, live, updated_at)
      values ('rul_due', $1, 'due', ${enabled}, 'metric', '{}', '[]', true, now())`;

    expect(
      await withRows(notification("1 h"), delivery("1 h"), execution("1 h", "1 h"), replay("done"), rule(false)),
    ).toEqual([]);
    expect(await withRows(notification("-1 s"))).toEqual([jobs.wakeNotifications.name]);
    expect(await withRows(delivery("-1 s"))).toEqual([jobs.wakeWebhooks.name]);
    expect(await withRows(replay("running"))).toEqual([jobs.wakeWebhooks.name]);
    expect(await withRows(execution("-1 s", "1 h"))).toEqual([jobs.wakeAgents.name]);
    expect(await withRows(execution("1 h", "-1 s"))).toEqual([jobs.wakeAgents.name]);
    expect(await withRows(rule(true))).toEqual([jobs.evaluateLiveRules.name]);
    const count = "insert into item_counts (dataset_id, status, labelled, count) values ($1, 'pending', false, 1)";
    expect(await withRows(count)).toEqual([jobs.foldItemCounts.name]);
  } finally {
    client.release();
  }
});
