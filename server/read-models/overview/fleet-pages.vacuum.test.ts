import { afterAll, beforeAll, expect, test } from "vitest";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, pool, prisma } from "@/server/platform/db";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { writeMetrics } from "@/server/testing/metric-rows";
import { createTrpcCaller } from "@/server/testing/requests";
import { readTableStatistics } from "@/server/testing/table-statistics";

/** What PostgreSQL reads to show a large fleet by robot. */

const [robots, alertsEach, runsEach] = [2_000, 10, 5];
const tables = ["devices", "alerts", "recordings", "device_group_members"] as const;

let org: TestOrganization;

beforeAll(async () => {
  org = await makeOrganization();
  const { uid } = await makeDevice(org, { type: "amr" });
  await writeMetrics(uid, [
    [
      Date.now(),
      { battery: 0.61, cpu: 0.09, memory: 0.4, disk: { free_gb: 84.7 }, motor_temperature_c: 38, mode: "auto" },
    ],
  ]);
  const { uid: group } = await createTrpcCaller(org).groups.create({ name: "Hall 1" });
  await execute(
    { db: prisma },
    Prisma.sql`insert into devices select (jsonb_populate_record(d, jsonb_build_object('uid', 'dev_' || gen_random_uuid(),
        'number', nextval('devices_number_seq'), 'token_hash', d.token_hash || n, 'name', 'amr-' || n,
        'status', case when n % 20 = 0 then 'offline' else 'online' end,
        'metrics', case when n % 50 = 0 then d.metrics || '{"battery": 0.05}' else d.metrics end))).*
      from devices d, generate_series(2, ${robots}::int) n where d.uid = ${uid}`,
  );
  // One in a hundred has an open alert; the others were resolved.
  await execute(
    { db: prisma },
    Prisma.sql`insert into alerts (uid, organization_id, rule_id, rule_name, rule_version, device_id, device_name, severity,
        severity_rank, message, dedupe_key, triggered_at, triggered_ns, status)
      select 'alt_' || gen_random_uuid(), ${org.uid}, 'rul_' || n % 9, 'rule ' || n % 9, 1, d.uid, d.name, 'error', 2, 'filled',
        d.uid || n, now() - abs(hashtext(d.uid || n)) % 600 * interval '1 h', 0,
        case when n = 1 and abs(hashtext(d.uid)) % 100 = 0 then 'open' else 'resolved' end
      from devices d, generate_series(1, ${alertsEach}::int) n where d.organization_id = ${org.uid}`,
  );
  await execute(
    { db: prisma },
    Prisma.sql`insert into recordings (uid, organization_id, device_id, device_name, status, started_at, ended_at, updated_at)
      select 'rec_' || gen_random_uuid(), ${org.uid}, d.uid, d.name, 'ready', now() - n * interval '1 day', now(), now()
      from devices d, generate_series(1, ${runsEach}::int) n where d.organization_id = ${org.uid}`,
  );
  await execute(
    { db: prisma },
    Prisma.sql`insert into device_group_members (group_id, device_id)
      select ${group}, uid from devices where organization_id = ${org.uid} and number % 2 = 0`,
  );
  for (const table of tables) await pool.query(`vacuum analyze ${table}`);
});

// Others of these tests count what is read of the same tables.
afterAll(async () => {
  await prisma.organization.delete({ where: { uid: org.uid } });
  for (const table of tables) await pool.query(`vacuum analyze ${table}`);
});

/** Pages of the tables that are read by `act`, by table. */
async function countPages(act: () => Promise<unknown>): Promise<Record<string, number>> {
  const read = async () =>
    Object.fromEntries(
      await Promise.all(tables.map(async (table) => [table, (await readTableStatistics(table)).pages] as const)),
    );
  await act();
  const before = await read();
  await act();
  const after = await read();
  return Object.fromEntries(tables.map((table) => [table, (after[table] ?? 0) - (before[table] ?? 0)]));
}

test(`${robots} robots are ranked by reading each device once, and of alerts little more than those that are open`, async () => {
  const call = createTrpcCaller(org);
  let fleet = await call.overview.fleet({});
  const summary = await countPages(async () => (fleet = await call.overview.fleet({})));
  const open = fleet.groups.reduce((sum, { counts }) => sum + (counts.error ?? 0), 0);
  expect([fleet.size, fleet.groups.reduce((sum, { total }) => sum + total, 0)]).toEqual([robots, robots]);
  expect(open).toBeGreaterThan(0);
  // The devices once, beside what tells whether there are own ones.
  expect(summary.devices).toBeLessThan(1.1 * robots);
  // Those that are open, where an index does not hold all of them.
  expect(summary.alerts).toBeLessThan(100);
  expect(summary.recordings).toBe(0);
  expect(summary.device_group_members).toBeLessThan(100);

  const rows = await countPages(async () => {
    const page = await call.overview.robots({ group: "none", fine: false, limit: 50 });
    expect([page.results.length, page.results[0]?.last_run !== null]).toEqual([50, true]);
  });
  // A row of a page: its device, its alerts of the week, and its last recording.
  expect(rows.devices).toBeLessThan(1.1 * robots + 50);
  expect(rows.alerts).toBeLessThan(100 + 50 * alertsEach);
  expect(rows.recordings).toBeLessThan(50 * 3);
});
