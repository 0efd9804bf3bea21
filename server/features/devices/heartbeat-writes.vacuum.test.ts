import { randomBytes } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { sendDemoHeartbeats } from "@/server/demo/heartbeat-service";
import { selectSilent } from "@/server/features/alerts/offline-service";
import { recordHeartbeat } from "@/server/features/devices/heartbeat-service";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query } from "@/server/platform/db";
import { int4, json, nullable, text } from "@/server/platform/rows";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { readTableStatistics } from "@/server/testing/table-statistics";

let org: TestOrganization;
beforeAll(async () => {
  org = await makeOrganization();
});

/** The part of the `expected` writes of `act` that were heap-only. */
async function readHeapOnlyShare(expected: number, act: () => Promise<unknown>): Promise<number> {
  const read = () => readTableStatistics("devices");
  const before = await read();
  await act();
  let after = before;
  await expect.poll(async () => (after = await read()).updates - before.updates).toBeGreaterThanOrEqual(expected);
  return (after.heap_only - before.heap_only) / (after.updates - before.updates);
}

test("at least 90 % of 1,000 heartbeats without metadata are written beside no index", async () => {
  const metadata = { map: "hall 2", keys: randomBytes(6_000).toString("base64") };
  const devices = await Promise.all(Array.from({ length: 50 }, (_, n) => makeDevice(org, n % 2 ? { metadata } : {})));
  const beatAll = (round: number) => {
    const metrics = { battery_percent: 90 - round, errors: Array.from({ length: round }, (_, n) => `error ${n}`) };
    return Promise.all(devices.map(({ uid }) => recordHeartbeat(org.ctx, uid, { metrics })));
  };
  await beatAll(0);
  const share = await readHeapOnlyShare(1_000, async () => {
    for (let round = 1; round <= 20; round++) await beatAll(round);
  });
  expect(share).toBeGreaterThanOrEqual(0.9);
});

test("at least 90 % of the demo's heartbeats are written beside no index", async () => {
  const { uid } = await makeOrganization();
  await execute(
    { db: prisma },
    Prisma.sql`insert into devices (uid, organization_id, name, status, demo, token_hash, token_last_four)
      select 'dev_demo_' || n, ${uid}, 'demo ' || n, 'online', true, ${uid} || n, '0000' from generate_series(1, 20) n`,
  );
  await prisma.membership.updateMany({ where: { organizationId: uid }, data: { lastActiveAt: new Date() } });
  const share = await readHeapOnlyShare(400, async () => {
    for (let round = 0; round < 20; round++) await sendDemoHeartbeats();
  });
  expect(share).toBeGreaterThanOrEqual(0.9);
});

test("no index of the devices has what a heartbeat writes", async () => {
  const indexes = await query(
    { db: prisma },
    { name: text },
    Prisma.sql`select indexname::text as name from pg_indexes
      where tablename = 'devices' and indexdef ~ 'last_seen_at|metrics|updated_at'`,
  );
  expect(indexes).toEqual([]);
});

const buffers = { "Shared Hit Blocks": z.number(), "Shared Read Blocks": z.number() };
const plans = z.tuple([z.object({ Plan: z.object(buffers) })]);

test("the sweep for silent devices reads 10,000 devices once, as the table is written by heartbeats", async () => {
  const { uid } = await makeOrganization();
  await execute(
    { db: prisma },
    Prisma.sql`insert into devices (uid, organization_id, name, type, status, last_seen_at, metrics, token_hash, token_last_four)
      select 'dev_sweep_' || n, ${uid}, 'robot ' || n, 'amr', 'online', now(),
        '{"battery_percent": 71, "charging": false, "motor_temperature_c": 55.1, "cpu_percent": 12}', ${uid} || n, '0000'
      from generate_series(1, 10000) n`,
  );
  for (let round = 0; round < 3; round++) {
    await execute({ db: prisma }, Prisma.sql`update devices set last_seen_at = now() where organization_id = ${uid}`);
  }
  await execute({ db: prisma }, Prisma.sql`analyze devices`);
  const statement = selectSilent(new Date(Date.now() - 90_000));
  const explained = Prisma.sql`explain (analyze, buffers, format json) ${statement}`;
  const [row] = await query({ db: prisma }, { "QUERY PLAN": json(plans) }, explained);
  const { Plan: plan } = plans.parse(row?.["QUERY PLAN"])[0];
  const [{ pages } = { pages: 0 }] = await query(
    { db: prisma },
    { pages: nullable(int4) },
    Prisma.sql`select (pg_relation_size('devices') / current_setting('block_size')::int)::int as pages`,
  );
  expect(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]).toBeLessThanOrEqual((pages ?? 0) + 50);
  // Four kilobytes for each row would be a fifth of them.
  expect(pages).toBeLessThan(2_500);
});
