import { afterEach, beforeEach, expect, test } from "vitest";
import { deleteDevice } from "@/server/features/devices/service";
import { clearDeleted, clearSteps } from "@/server/features/health/clear-service";
import { partedTables } from "@/server/features/health/parts-service";
import { pool, prisma } from "@/server/platform/db";
import { int4, queryRows, text } from "@/server/platform/rows";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";

const steps = { ...clearSteps };
beforeEach(() => pool.query("truncate metric_clearings"));
afterEach(() => void Object.assign(clearSteps, steps));

/** A device with metrics of three days. */
async function withMetrics(own: TestOrganization): Promise<{ uid: string; number: number }> {
  const { uid } = await makeDevice(own);
  const { number } = await prisma.device.update({ where: { uid }, data: { metricList: 1 } });
  const times = "generate_series(now() - interval '3 days', now(), interval '3 hours') as at";
  await pool.query(`insert into metric_points select ${number}, at, 1, '{1}' from ${times}`);
  await pool.query(`insert into metric_changes select ${number}, n, at, 'true' from ${times}, generate_series(1, 3) n`);
  for (const table of ["metric_rollups_5m", "metric_rollups_1h"])
    await pool.query(`insert into ${table} select ${number}, at, l, '{1}', '{1}', '{1}', '{1}', '{1}'
      from ${times}, generate_series(1, 2) l`);
  return { uid, number };
}

async function countRows(number: number): Promise<Record<string, number>> {
  const counts = partedTables.map(
    (table) => `select '${table}' as name, count(*)::int as count from ${table} where device = $1`,
  );
  const rows = await queryRows(pool, { name: text, count: int4 }, counts.join(" union all "), [number]);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

const all = { metric_points: 25, metric_changes: 75, metric_rollups_5m: 50, metric_rollups_1h: 50 };
const nothing = { metric_points: 0, metric_changes: 0, metric_rollups_5m: 0, metric_rollups_1h: 0 };
const { signal } = new AbortController();

test("the metrics of a deleted device are cleared in batches by runs that are stopped at any of them, and no others", async () => {
  const own = await makeOrganization();
  const [gone, stays] = [await withMetrics(own), await withMetrics(own)];
  await deleteDevice(own.ctx, gone.uid);
  expect([await countRows(gone.number), await countRows(stays.number)]).toEqual([all, all]);
  Object.assign(clearSteps, { rows: 20 });
  for (let batches = 1; batches <= 4; batches++) {
    let left = batches;
    const stopping = Object.assign(new AbortController().signal, {
      throwIfAborted: () => {
        if (left-- <= 0) throw new Error("killed");
      },
    });
    await expect(clearDeleted({ signal: stopping })).rejects.toThrow("killed");
  }
  const half = await countRows(gone.number);
  expect(half).not.toEqual(all);
  expect(half).not.toEqual(nothing);
  expect(await clearDeleted({ signal })).toBe(1);
  expect([await countRows(gone.number), await countRows(stays.number)]).toEqual([nothing, all]);
  expect(await clearDeleted({ signal })).toBe(0);
});

test("so are those of devices that go in any other way, such as with their organization", async () => {
  const [own, other] = [await makeOrganization(), await makeOrganization()];
  const gone = [await withMetrics(own), await withMetrics(own)];
  const demo = await withMetrics(other);
  await makeDevice(own);
  await prisma.organization.delete({ where: { uid: own.uid } });
  await prisma.device.deleteMany({ where: { uid: demo.uid } });
  expect(await clearDeleted({ signal })).toBe(3);
  for (const { number } of [...gone, demo]) expect(await countRows(number)).toEqual(nothing);
});

test("a run that takes long stops between two batches, and the next one goes on", async () => {
  const own = await makeOrganization();
  const { uid, number } = await withMetrics(own);
  await deleteDevice(own.ctx, uid);
  Object.assign(clearSteps, { runMs: -1 });
  expect(await clearDeleted({ signal })).toBe(0);
  expect(await countRows(number)).toEqual(all);
  Object.assign(clearSteps, steps);
  expect(await clearDeleted({ signal })).toBe(1);
  expect(await countRows(number)).toEqual(nothing);
});
