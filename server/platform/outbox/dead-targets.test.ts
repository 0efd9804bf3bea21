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
    const ahead = new Date(now.getTime() + hourMs);
    await prisma.webhookDelivery.createMany({ data: Array.from({ length: dead }, () => delivery(uuidv7(), ahead)) });
    const options = { fullTargets: [], exceptRows: [], maxPerTarget: 10, organizationId: org.uid };
    expect(await dueRows(webhookDeliveries, now, options, 500)).toEqual([{ uid: due.uid, target: healthy }]);

    const { text, values } = dueStatement(webhookDeliveries, now, options, 500);
    const client = await pool.connect();
    try {
      await client.query("begin");
      // As for a large table, without the statistics of one.
      await client.query("set local enable_seqscan = off");
      const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, values);
      const [{ "QUERY PLAN": plan }] = Plan.parse(rows);
      expect(Number(plan[0].Plan["Shared Hit Blocks"])).toBeLessThan(dead / 4);
    } finally {
      await client.query("rollback");
      client.release();
    }
  } finally {
    await prisma.webhookDelivery.deleteMany({ where: { organizationId: org.uid } });
  }
});
