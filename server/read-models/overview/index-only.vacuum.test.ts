import { expect, test } from "vitest";
import type { DemoFilter } from "@/domain/demo/choice";
import { foldItemCounts } from "@/server/features/datasets/item-counts-service";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, pool, prisma } from "@/server/platform/db";
import { bool, nullable, queryRows } from "@/server/platform/rows";
import { makeDataset } from "@/server/testing/datasets";
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

/** Pages of tables and their indexes that were read by `act`. */
async function countAllPages(tables: readonly string[], act: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    let sum = 0;
    for (const table of tables) {
      const { pages, index_pages } = await readTableStatistics(table);
      sum += pages + index_pages;
    }
    return sum;
  };
  await act();
  const before = await read();
  await act();
  return (await read()) - before;
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
  await expect.poll(isVisible).toBe(true);
}

/** An organization with a device and its recording, and with one recording of the demo. */
async function makeSite() {
  const org = await makeOrganization();
  const { uid: device } = await makeDevice(org);
  const { uid: recording } = await makeRecording(org, device);
  const { uid: demo } = await makeRecording(org, (await makeDevice(org, { demo: true })).uid, { demo: true });
  return { org, device, recording, demo };
}

test("the histogram of events reads indexes only, also where it leaves those of the demo out", async () => {
  const { org, device, recording, demo } = await makeSite();
  // As many as a fleet has in some days: with two in all, half of the table would be expected to be the demo's.
  const recordings = [recording];
  while (recordings.length < 40) recordings.push((await makeRecording(org, device)).uid);
  const ofDemo = 50;
  await execute(
    { db: prisma },
    Prisma.sql`insert into events (uid, organization_id, recording_id, device_id, type, severity, label, timestamp_ns, source)
      select 'evt_' || ${org.uid} || n, ${org.uid}, case when n > ${rows}::int then ${demo} else (${recordings}::text[])[1 + n % 40] end, ${device}, 'error',
        'warning', 'filled', (1764000000 + case when n % 2 = 1 and n > ${rows}::int then 900000 else hashint8(n) % 300000 end)::int8 * 1000000000, 'user'
      from generate_series(1, ${rows + ofDemo}::int) n`,
  );
  await vacuum("events");
  const count = async (of: DemoFilter) => {
    const histogram = await createTrpcCaller(org).events.histogram(of);
    const counts = histogram?.buckets.flatMap((bucket) => Object.values(bucket.counts)) ?? [];
    return counts.reduce((sum, each) => sum + each, 0);
  };
  expect(await countPages("events", async () => expect(await count({})).toBe(rows + ofDemo))).toBeLessThan(1_000);
  expect(await countPages("events", async () => expect(await count({ demo: "false" })).toBe(rows))).toBeLessThan(1_000);
  expect(await count({ demo: "true" })).toBe(ofDemo);
  const ends = await Promise.all(
    [{}, { demo: "false" } as const].map(async (of) => (await createTrpcCaller(org).events.histogram(of))?.to_ns),
  );
  expect(ends.map((end) => BigInt(end ?? 0) > 1_764_900_000n * 1_000_000_000n)).toEqual([true, false]);
});

const addAlerts = (org: TestOrganization, device: string, name: string, count: number, age: Prisma.Sql) =>
  execute(
    { db: prisma },
    Prisma.sql`insert into alerts (uid, organization_id, rule_id, rule_name, rule_version, device_id, device_name, severity,
        severity_rank, message, dedupe_key, triggered_at, triggered_ns, status, resolution_reason, demo)
      select ${`alr_${name}_`} || ${org.uid} || n, ${org.uid}, ${org.uid} || n % 9, 'rule ' || n % 9, 1, ${device}, 'robot', 'error', 2, 'filled',
        ${name} || ${org.uid} || n, now() - ${age}, 0,
        case when n % 2 = 0 then 'open' else 'resolved' end, case when n % 4 = 1 then 'false_alarm' end, ${name === "demo"}::boolean
      from generate_series(1, ${count}::int) n`,
  );

test("the overview's activity reads indexes only, but for the names of its rules, also without the demo's alerts", async () => {
  const { org, device } = await makeSite();
  await addAlerts(org, device, "own", rows, Prisma.sql`abs(hashint8(n)) % ${25 * dayMs}::int8 * interval '1 ms'`);
  await addAlerts(org, device, "demo", 200, Prisma.sql`n * interval '1 h'`);
  await vacuum("alerts");
  const read = async () => {
    const { buckets, rules, capped } = await createTrpcCaller(org).overview.activity({ range: "30d", demo: "false" });
    expect([buckets.reduce((sum, { error }) => sum + error, 0), capped]).toEqual([rows, false]);
    expect(rules).toHaveLength(6);
    expect(rules[0]).toMatchObject({ name: expect.stringMatching(/^rule \d$/), devices: 1, worst: "error" });
    const resolved = rules.reduce((sum, rule) => sum + rule.resolved, 0);
    const falseAlarms = rules.reduce((sum, rule) => sum + rule.false_alarms, 0);
    expect(resolved / falseAlarms).toBeCloseTo(2, 1);
  };
  expect(await countPages("alerts", read)).toBeLessThan(1_000);
});

test("the overview's activity of 30 days costs the same beside twenty times as many older alerts", async () => {
  const { org, device } = await makeSite();
  await addAlerts(org, device, "new", 3_000, Prisma.sql`n % 500 * interval '1 h'`);
  await vacuum("alerts");
  const read = () => createTrpcCaller(org).overview.activity({ range: "30d" });
  const few = await countAllPages(["alerts"], read);
  await addAlerts(org, device, "old", 57_000, Prisma.sql`(interval '31 days' + n * interval '1 min')`);
  await vacuum("alerts");
  expect(await countAllPages(["alerts"], read)).toBeLessThanOrEqual(few * 1.3);
});

test("the counts of items of a dataset cost the same for twenty times as many", async () => {
  const org = await makeOrganization();
  const { uid } = await makeDataset(org);
  const add = async (from: number, to: number) => {
    await execute(
      { db: prisma },
      Prisma.sql`insert into items (uid, organization_id, dataset_id, key, status, storage_key, annotation_count, updated_at)
        select gen_random_uuid(), ${org.uid}, ${uid}, n, case when n % 10 = 0 then 'completed' else 'pending' end, ${uid} || n, n % 3, now()
        from generate_series(${from}::int, ${to}::int) n`,
    );
    await foldItemCounts();
    for (const table of ["items", "item_counts"]) await vacuum(table);
  };
  const read = async () => (await createTrpcCaller(org).datasets.overview({})).results[0]?.counts;
  await add(1, 3_000);
  const few = await countAllPages(["items", "item_counts"], read);
  expect(await read()).toEqual({ statuses: { pending: 2_700, completed: 300 }, labelled: 2_000 });
  await add(3_001, 60_000);
  expect(await countAllPages(["items", "item_counts"], read)).toBeLessThanOrEqual(few * 1.3);
  expect(await read()).toEqual({ statuses: { pending: 54_000, completed: 6_000 }, labelled: 40_000 });
});
