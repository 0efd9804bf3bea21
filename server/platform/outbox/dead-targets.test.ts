import { expect, test } from "vitest";
import { z } from "zod";
import { webhookDeliveries } from "@/server/features/webhooks/delivery-service";
import { pool, prisma } from "@/server/platform/db";
import { dueRows, dueStatement } from "@/server/platform/outbox/queries";
import { uuidv7 } from "@/server/platform/uid";
import { makeOrganization } from "@/server/testing/factories";

const dead = 2_000;
const hourMs = 3_600_000;
const Plan = z.tuple([z.object({ "QUERY PLAN": z.tuple([z.object({ Plan: z.record(z.string(), z.unknown()) })]) })]);

/** The pages of tables and indexes that the statement reads. */
async function countPages(statement: ReturnType<typeof dueStatement>): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    // The plan for a large table, by statistics of what is there; autovacuum's are of any moment before.
    await client.query("analyze webhook_deliveries");
    await client.query("set local enable_seqscan = off");
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${statement.text}`, statement.values);
    const [{ "QUERY PLAN": plan }] = Plan.parse(rows);
    return Number(plan[0].Plan["Shared Hit Blocks"]) + Number(plan[0].Plan["Shared Read Blocks"]);
  } finally {
    await client.query("rollback");
    client.release();
  }
}

test("thousands of receivers whose retries are ahead cost nothing to find the rows that are due", async () => {
  const org = await makeOrganization();
  // Deliveries outlive their subscriptions, so these need none.
  const healthy = uuidv7();
  const delivery = (subscriptionId: string, at: Date) => ({
    uid: uuidv7(),
    organizationId: org.uid,
    subscriptionId,
    eventType: "dataset.created",
    payload: {},
    nextAttemptAt: at,
  });
  const now = new Date();
  const due = delivery(healthy, new Date(now.getTime() - 1_000));
  await prisma.webhookDelivery.create({ data: due });
  try {
    const options = { fullTargets: [], exceptRows: [], maxPerTarget: 10, organizationId: org.uid };
    const alone = await countPages(dueStatement(webhookDeliveries, now, options, 500));
    const ahead = new Date(now.getTime() + hourMs);
    await prisma.webhookDelivery.createMany({ data: Array.from({ length: dead }, () => delivery(uuidv7(), ahead)) });
    expect(await dueRows(webhookDeliveries, now, options, 500)).toEqual([{ uid: due.uid, target: healthy }]);

    expect((await countPages(dueStatement(webhookDeliveries, now, options, 500))) - alone).toBeLessThan(dead / 4);
  } finally {
    await prisma.webhookDelivery.deleteMany({ where: { organizationId: org.uid } });
  }
});
