import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agentPushes } from "@/server/features/agents/push-service";
import { registerAgent } from "@/server/features/agents/service";
import { channelMessages } from "@/server/features/channels/delivery-service";
import { queueExecutions } from "@/server/features/platform-events/execution-queue-service";
import { queueDeliveries } from "@/server/features/platform-events/webhook-queue-service";
import { webhookDeliveries } from "@/server/features/webhooks/delivery-service";
import { createWebhook } from "@/server/features/webhooks/service";
import { pool, prisma } from "@/server/platform/db";
import { failure, type Outcome } from "@/server/platform/http-client/post";
import { configureEgress } from "@/server/platform/http-client/settings";
import type { Claim, Noted, OutboxDefinition } from "@/server/platform/outbox/definition";
import { Outbox } from "@/server/platform/outbox/outbox";
import { claimRows, leaseMs, noteOutcomes } from "@/server/platform/outbox/queries";
import { int4, queryRows, text, type Wire } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";
import { makeAlert, makeChannel } from "@/server/testing/alerts";
import { makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { startReceiver, type Receiver } from "@/server/testing/receiver";

/** The outbox sends from three tables; its guarantees hold for each of them. */

let org: TestOrganization;
let receiver: Receiver;
let restore: () => void;
beforeAll(() => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
});
afterAll(() => restore());
beforeEach(async () => {
  [org, receiver] = await Promise.all([makeOrganization(), startReceiver()]);
});
afterEach(() => receiver.close());

/** An outbox definition with what the tests need to use it. */
interface Sample<Row extends object, Target> {
  definition: OutboxDefinition<Row, Target>;
  makeTarget: (url: string) => Promise<string>;
  /** Queues rows for a target, due now. Resolves to their uids, in the order in which they were queued. */
  queue: (target: string, count: number) => Promise<string[]>;
}

const samples = {
  notifications: {
    definition: channelMessages,
    makeTarget: async (url: string) => (await makeChannel(org, "webhook", { url })).uid,
    queue: async (channelId: string, count: number) => {
      await makeAlert(org, { channelIds: [channelId], severity: "critical" });
      const { payload } = await prisma.notification.findFirstOrThrow({ where: { channelId } });
      await prisma.notification.deleteMany({ where: { channelId, attempts: 0, alertId: { not: null } } });
      const rows = Array.from({ length: count }, () => ({
        uid: uuidv7(),
        organizationId: org.uid,
        channelId,
        event: "alert.triggered",
        nextAttemptAt: new Date(),
        dedupeKey: unique(),
        payload: payload ?? {},
      }));
      await prisma.notification.createMany({ data: rows });
      return rows.map(({ uid }) => uid);
    },
  },
  webhooks: {
    definition: webhookDeliveries,
    makeTarget: async (url: string) =>
      (await createWebhook(org.ctx, { target_url: `${url}/${unique()}`, events: ["dataset.created"] })).uid,
    queue: (uid: string, count: number) =>
      queueDeliveries(org.ctx, Array<string>(count).fill(uid), "dataset.created", { event: "dataset.created" }),
  },
  agents: {
    definition: agentPushes,
    makeTarget: async (url: string) =>
      (await registerAgent(org.ctx, { name: unique(), events: ["task.completed"], callback_url: url })).uid,
    queue: (uid: string, count: number) => {
      const agent = { uid, callback_url: "set" };
      return queueExecutions(org.ctx, Array<typeof agent>(count).fill(agent), "test.ping", { event: "test.ping" });
    },
  },
};

const ids = ({ received }: Receiver) => received.map(({ headers }) => headers["webhook-id"] ?? "");
const later = (ms: number) => new Date(Date.now() + ms);

const stateRow = { uid: text, status: text, attempts: int4 };
type State = Wire<typeof stateRow>;

function guarantees<Row extends object, Target>({ definition, makeTarget, queue }: Sample<Row, Target>): void {
  const { table, concurrency, received: done } = definition;
  const outbox = () => new Outbox(definition, org.uid);
  const states = (): Promise<State[]> => {
    const statement = `select uid, status, attempts from ${table} where organization_id = $1 order by uid`;
    return queryRows(pool, stateRow, statement, [org.uid]);
  };
  const claim = async (uids: string[], at = new Date()): Promise<Claim<Row>[]> => {
    const claims = await claimRows(definition, uids, at);
    return claims.sort((a, b) => uids.indexOf(a.uid) - uids.indexOf(b.uid));
  };
  const noted = (attempt: Claim<Row>, outcome: Outcome, next: Date | null = null): Noted<Row, Target> => ({
    uid: uuidv7(),
    claim: attempt,
    target: undefined,
    outcome,
    startedAt: new Date(),
    durationMs: 5,
    next,
  });
  const success: Outcome = {
    ok: true,
    statusCode: 200,
    error: null,
    response: null,
    retryAfterSeconds: null,
    final: true,
  };

  test("each row is sent once although several processes send concurrently", async () => {
    const targets = await Promise.all([1, 2, 3].map(() => makeTarget(receiver.url)));
    const queued = (await Promise.all(targets.map((target) => queue(target, 15)))).flat();
    await Promise.all([1, 2, 3, 4].map(() => outbox().drain(later(1_000))));
    expect(ids(receiver).sort()).toEqual(queued.sort());
    expect((await states()).every(({ status, attempts }) => status === done && attempts === 1)).toBe(true);
  });

  test("a claimed row is not claimed again before its lease ends, and then by another process", async () => {
    const [uid = ""] = await queue(await makeTarget(receiver.url), 1);
    const at = later(1_000);
    const [first] = await claim([uid], at);
    expect(await claim([uid], at)).toEqual([]);
    await outbox().drain(new Date(at.getTime() + leaseMs - 1));
    expect(receiver.received).toEqual([]);
    await outbox().drain(new Date(at.getTime() + leaseMs));
    expect(ids(receiver)).toEqual([uid]);
    // The outcome of the superseded attempt is ignored.
    expect(first && (await noteOutcomes(definition, [noted(first, failure("too late"))]))).toEqual([]);
    expect(await states()).toEqual([{ uid, status: done, attempts: 2 }]);
  });

  test("a target with a long backlog does not delay others", async () => {
    const [busy, quiet] = [await makeTarget(receiver.url), await makeTarget(receiver.url)];
    await queue(busy, 600);
    const [last = ""] = await queue(quiet, 1);
    const sender = outbox();
    await sender.wake();
    await expect.poll(() => ids(receiver).includes(last)).toBe(true);
    expect(ids(receiver).indexOf(last)).toBeLessThan(concurrency.total);
    await sender.close();
  });

  test("a target that never responds has few concurrent attempts and does not delay others", async () => {
    const silent = await startReceiver(() => {});
    try {
      const [dead, good] = [await makeTarget(silent.url), await makeTarget(receiver.url)];
      const stuck = await queue(dead, 2 * concurrency.initial);
      const sent = await queue(good, 2 * concurrency.initial);
      const sender = outbox();
      await sender.wake();
      await expect.poll(() => receiver.received.length).toBe(sent.length);
      await expect.poll(() => silent.received.length).toBe(concurrency.initial);
      await silent.close();
      await sender.close();
      const pending = (await states()).filter(({ status }) => status === "pending");
      expect(pending.map(({ uid }) => uid)).toEqual(stuck.sort());
    } finally {
      await silent.close().catch(() => {});
    }
  });

  test("rows are sent in the order in which they became due", async () => {
    const silent = await startReceiver(() => {});
    try {
      const uids = await queue(await makeTarget(silent.url), 3 * concurrency.initial);
      // The later a row was queued, the longer it has been due.
      await pool.query(
        `update ${table} r set next_attempt_at = now() - o.n * interval '1 minute'
         from unnest($1::text[]) with ordinality as o(uid, n) where o.uid = r.uid`,
        [uids],
      );
      const sender = outbox();
      await sender.wake();
      await expect.poll(() => silent.received.length).toBe(concurrency.initial);
      expect(ids(silent).sort()).toEqual(uids.slice(-concurrency.initial).sort());
      await silent.close();
      await sender.close();
    } finally {
      await silent.close().catch(() => {});
    }
  });

  test("outcomes are recorded together: received, to be retried, failed; a superseded one is ignored", async () => {
    const uids = await queue(await makeTarget(receiver.url), 4);
    const [ok, again, failed, stale] = await claim(uids, later(1_000));
    if (!ok || !again || !failed || !stale) throw new Error("four were queued");
    const counted = await noteOutcomes(definition, [
      noted(ok, success),
      noted(again, failure("Not now."), later(60_000)),
      noted(failed, failure("Never.", { statusCode: 400 })),
      noted({ ...stale, attempts: stale.attempts - 1 }, success),
    ]);
    expect(counted.map((each) => each.claim.uid)).toEqual([ok.uid, again.uid, failed.uid]);
    expect((await states()).map(({ uid, status }) => [uid, status])).toEqual(
      [
        [ok.uid, done],
        [again.uid, "pending"],
        [failed.uid, "failed"],
        [stale.uid, "pending"],
      ].sort(),
    );
  });

  test("an outcome is recorded only once", async () => {
    const [uid = ""] = await queue(await makeTarget(receiver.url), 1);
    const [attempt] = await claim([uid], later(1_000));
    const outcome = attempt && [noted(attempt, failure("Not now."), later(60_000))];
    if (!outcome) throw new Error("one was queued");
    await noteOutcomes(definition, outcome);
    await noteOutcomes(definition, outcome);
    expect(await states()).toEqual([{ uid, status: "pending", attempts: 1 }]);
    const { attemptLog } = definition;
    if (!attemptLog) return;
    const log = await pool.query(`select 1 from ${attemptLog.table} where ${attemptLog.row} = $1`, [uid]);
    expect(log.rowCount).toBe(1);
  });

  test("recording an outcome is retried when the database was unavailable", async () => {
    let endResponse = () => {};
    receiver.respondWith((_request, response) => {
      endResponse = () => response.end("ok");
    });
    const [uid = ""] = await queue(await makeTarget(receiver.url), 1);
    const drained = outbox().drain(later(1_000));
    await expect.poll(() => receiver.received.length).toBe(1);
    const holder = await pool.connect();
    try {
      await holder.query("begin");
      await holder.query(`select 1 from ${table} where uid = $1 for update`, [uid]);
      endResponse();
      const ended = async () =>
        (
          await pool.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock' and query like 'with attempt as%'`,
          )
        ).rowCount;
      await expect.poll(ended).toBe(1);
    } finally {
      await holder.query("rollback");
      holder.release();
    }
    await drained;
    expect(await states()).toEqual([{ uid, status: done, attempts: 1 }]);
    expect(receiver.received).toHaveLength(1);
  });

  test("a row for a deleted target fails without being sent", async () => {
    const target = await makeTarget(receiver.url);
    const [uid = ""] = await queue(target, 1);
    const loadTargets = () => Promise.resolve(new Map<string, Target>());
    await new Outbox({ ...definition, loadTargets }, org.uid).drain(later(1_000));
    expect([receiver.received, await states()]).toEqual([[], [{ uid, status: "failed", attempts: 1 }]]);
  });
}

describe("notifications", () => guarantees(samples.notifications));
describe("deliveries to webhooks", () => guarantees(samples.webhooks));
describe("executions pushed to agents", () => guarantees(samples.agents));

test("messages of one alert to one channel are sent in the order of queueing, also after a failure", async () => {
  const channel = await samples.notifications.makeTarget(receiver.url);
  const { alertId } = await makeAlert(org, { severity: "critical" });
  const uids = await samples.notifications.queue(channel, 3);
  await prisma.notification.updateMany({ where: { uid: { in: uids } }, data: { alertId } });
  receiver.respondWith((_request, response) => response.writeHead(receiver.received.length === 1 ? 500 : 200).end());
  await new Outbox(channelMessages, org.uid).drain(later(1_000));
  expect(ids(receiver)).toEqual([uids[0]]);
  await new Outbox(channelMessages, org.uid).drain(later(20_000));
  expect(ids(receiver)).toEqual([uids[0], ...uids]);
});
