import { afterEach, expect, test } from "vitest";
import { countDaysAhead, listParts, makeParts, observeParts } from "@/server/features/health/parts-service";
import { pool } from "@/server/platform/db";
import { readMetrics } from "@/server/platform/metrics";

const dayMs = 86_400_000;
const suffix = (days: number, length: number) =>
  new Date(Date.now() + days * dayMs).toISOString().replaceAll("-", "").slice(0, length);
const names = async () => (await listParts()).map(({ name }) => name);

afterEach(async () => void (await makeParts()));

test("parts are made by day and by month from 8 days ago to 14 days ahead, by two workers at once, each once", async () => {
  const lost = [-8, 0, 14].map((days) => `metric_points_${suffix(days, 8)}`);
  const month = `metric_rollups_1h_${suffix(14, 6)}`;
  await pool.query(`drop table if exists ${[...lost, month].join(", ")}`);
  const made = await Promise.all([makeParts(), makeParts()]);
  expect(made.reduce((sum, each) => sum + each, 0)).toBe(4);
  expect(await names()).toEqual(expect.arrayContaining([...lost, month]));
  expect(await makeParts()).toBe(0);
  const parts = (await listParts()).filter(({ table }) => table === "metric_points");
  expect(parts.map(({ since, until }) => until.getTime() - since.getTime())).toEqual(parts.map(() => dayMs));
  const today = parts.find(({ name }) => name === `metric_points_${suffix(0, 8)}`);
  expect(today?.since).toEqual(new Date(Math.floor(Date.now() / dayMs) * dayMs));
});

test("parts are made while others write, and these need not wait for it", async () => {
  const writer = await pool.connect();
  const maker = await pool.connect();
  try {
    await pool.query(`drop table metric_points_${suffix(10, 8)}`);
    await writer.query("begin; insert into metric_points values (2000000001, now(), 1, '{1}')");
    expect(await makeParts()).toBe(1);
    // The other way round: parts are being made, in a transaction that is still open.
    await writer.query("rollback");
    await pool.query(`drop table metric_points_${suffix(10, 8)}`);
    await maker.query("begin; select make_metric_parts(now() - interval '8 days', now() + interval '14 days')");
    await writer.query(
      "set lock_timeout = '1s'; begin; insert into metric_points values (2000000001, now(), 1, '{1}')",
    );
    await writer.query("select count(*) from metric_points where device = 2000000001");
  } finally {
    await Promise.all([writer, maker].map((client) => client.query("rollback; set lock_timeout = 0")));
    writer.release();
    maker.release();
  }
});

test("a lock on a table of metrics makes the job fail soon, so that nobody waits behind it", async () => {
  const holder = await pool.connect();
  try {
    await pool.query(`drop table metric_points_${suffix(10, 8)}`);
    await holder.query("begin; lock table metric_points in share mode");
    await expect(makeParts()).rejects.toThrow("lock timeout");
  } finally {
    await holder.query("rollback");
    holder.release();
  }
  expect(await makeParts()).toBe(1);
});

test("the metrics say for how many days ahead there are parts without a gap", async () => {
  observeParts();
  const days = await countDaysAhead();
  expect(days).toBeGreaterThanOrEqual(14);
  expect(days).toBeLessThan(15.01);
  expect((await readMetrics()).text).toMatch(/^muster_metric_parts_days_ahead 14\./m);
  await pool.query(`drop table metric_points_${suffix(3, 8)}`);
  expect(await countDaysAhead()).toBeLessThanOrEqual(3);
});
