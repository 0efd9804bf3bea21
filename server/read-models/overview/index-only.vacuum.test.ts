import { expect, test } from "vitest";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, pool, prisma } from "@/server/platform/db";
import { bool, nullable, queryRows } from "@/server/platform/rows";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";
import { readTableStatistics } from "@/server/testing/table-statistics";

/** Rows that lie in no order of time, so that reading them by an index reads a page for nearly each. */
const rows = 20_000;
const dayMs = 86_400_000;

/** Pages of a table read by `act`; a page of its visibility map, read once for each range of an index, is one too. */
async function countPages(table: string, act: () => Promise<unknown>): Promise<number> {
  await act();
  const before = await readTableStatistics(table);
  await act();
  return (await readTableStatistics(table)).pages - before.pages;
}

/** Vacuums a table until its rows are visible to all, once no analysis that PostgreSQL began by itself has an older snapshot. */
async function vacuum(table: string): Promise<void> {
  const isVisible = async () => {
    await pool.query(`vacuum analyze ${table}`);
    const [row] = await queryRows(
      pool,
      { visible: nullable(bool) },
      "select relallvisible = relpages as visible from pg_class where oid = $1::regclass",
      [table],
    );
    return row?.visible;
  };
  await expect.poll(isVisible, { timeout: 20_000 }).toBe(true);
}

async function makeSite(demo: boolean): Promise<{ org: TestOrganization; device: string; recording: string }> {
  const org = await makeOrganization();
  const { uid: device } = await makeDevice(org);
  const { uid: recording } = await makeRecording(org, device);
  if (demo) await makeRecording(org, (await makeDevice(org, { demo })).uid, { demo });
  return { org, device, recording };
}

async function fillEvents(demo: boolean): Promise<TestOrganization> {
  const { org, device, recording } = await makeSite(demo);
  await execute(
    { db: prisma },
    Prisma.sql`insert into events (uid, organization_id, recording_id, device_id, type, severity, label, timestamp_ns, source)
      select 'evt_' || ${org.uid} || n, ${org.uid}, ${recording}, ${device}, 'error', 'warning', 'filled',
        (1764000000 + hashint8(n) % 300000)::int8 * 1000000000, 'user'
      from generate_series(1, ${rows}::int) n`,
  );
  await vacuum("events");
  return org;
}

test("the histogram of events reads indexes only, where the organization has nothing of the demo", async () => {
  const org = await fillEvents(false);
  const read = async () => {
    const histogram = await createTrpcCaller(org).events.histogram({});
    const counts = histogram?.buckets.flatMap((bucket) => Object.values(bucket.counts)) ?? [];
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(rows);
  };
  expect(await countPages("events", read)).toBeLessThan(1_000);
});

test("with recordings of the demo, the histogram leaves their events out", async () => {
  const org = await fillEvents(true);
  const histogram = await createTrpcCaller(org).events.histogram({ demo: "false" });
  const counts = histogram?.buckets.flatMap((bucket) => Object.values(bucket.counts)) ?? [];
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(rows);
});

test("the overview's activity reads indexes only, but for the names of its rules", async () => {
  const { org, device } = await makeSite(false);
  await execute(
    { db: prisma },
    Prisma.sql`insert into alerts (uid, organization_id, rule_id, rule_name, rule_version, device_id, device_name, severity,
        severity_rank, message, dedupe_key, triggered_at, triggered_ns, status, resolution_reason)
      select 'alr_' || ${org.uid} || n, ${org.uid}, 'rul_' || n % 9, 'rule ' || n % 9, 1, ${device}, 'robot', 'error', 2, 'filled',
        ${org.uid} || n, now() - abs(hashint8(n)) % ${25 * dayMs}::int8 * interval '1 ms', 0,
        case when n % 2 = 0 then 'open' else 'resolved' end, case when n % 4 = 1 then 'false_alarm' end
      from generate_series(1, ${rows}::int) n`,
  );
  await vacuum("alerts");
  const read = async () => {
    const { buckets, rules, capped } = await createTrpcCaller(org).overview.activity({ range: "30d" });
    expect([buckets.reduce((sum, { error }) => sum + error, 0), capped]).toEqual([rows, false]);
    expect(rules).toHaveLength(6);
    expect(rules[0]).toMatchObject({ name: expect.stringMatching(/^rule \d$/), devices: 1, worst: "error" });
    const resolved = rules.reduce((sum, rule) => sum + rule.resolved, 0);
    const falseAlarms = rules.reduce((sum, rule) => sum + rule.false_alarms, 0);
    expect(resolved / falseAlarms).toBeCloseTo(2, 1);
  };
  expect(await countPages("alerts", read)).toBeLessThan(1_000);
});
