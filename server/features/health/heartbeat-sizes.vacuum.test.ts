import { afterAll, expect, test } from "vitest";
import { recordHeartbeat } from "@/server/features/devices/heartbeat-service";
import { pool } from "@/server/platform/db";
import { float8, notNull, queryRows } from "@/server/platform/rows";
import { makeDevice, makeOrganization } from "@/server/testing/factories";
import { readTableStatistics } from "@/server/testing/table-statistics";

const [count, warmUp, rounds] = [50, 20, 20];

/** Whole pages in the log, once after each checkpoint, are a matter of time and not of heartbeats. */
async function setFullPages(written: boolean): Promise<void> {
  await pool.query(written ? "alter system reset full_page_writes" : "alter system set full_page_writes = off");
  await pool.query("select pg_reload_conf()");
}

afterAll(() => setFullPages(true));

async function walPosition(): Promise<number> {
  const [row] = await queryRows(
    pool,
    { at: notNull(float8) },
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as at",
  );
  return row?.at ?? Number.NaN;
}

interface Cost {
  /** Bytes of the write-ahead log for each heartbeat. */
  wal: number;
  /** The part of the updates of devices that wrote to no index. */
  heapOnly: number;
}

/** What the heartbeats of devices cost that send these metrics, 50 of them at a time. */
async function measure(metricsOf: (round: number, device: number) => Record<string, unknown> | null): Promise<Cost> {
  const org = await makeOrganization();
  const devices = await Promise.all(Array.from({ length: count }, () => makeDevice(org)));
  const beatAll = (round: number) =>
    Promise.all(
      devices.map(({ uid }, at) => {
        const metrics = metricsOf(round, at);
        return recordHeartbeat(org.ctx, uid, metrics ? { metrics } : {});
      }),
    );
  for (let round = 0; round < warmUp; round++) await beatAll(round);
  const before = await readTableStatistics("devices");
  const from = await walPosition();
  for (let round = warmUp; round < warmUp + rounds; round++) await beatAll(round);
  const wal = ((await walPosition()) - from) / (rounds * count);
  let after = before;
  await expect
    .poll(async () => (after = await readTableStatistics("devices")).updates - before.updates)
    .toBeGreaterThanOrEqual(rounds * count);
  return { wal, heapOnly: (after.heap_only - before.heap_only) / (after.updates - before.updates) };
}

const tenMetrics = (round: number, device: number) => ({
  battery: 0.2 + ((round * 7 + device) % 80) / 100,
  cpu_percent: (round * 13 + device * 3) % 100,
  memory_percent: 40 + ((round + device) % 20) / 4,
  disk_free_gb: 84.7 - round / 10,
  motor_temperature_c: 40 + ((round * 31 + device) % 300) / 10,
  wifi_rssi_dbm: -50 - ((round + device) % 30),
  uptime_s: 86_400 + round * 30,
  latitude: 53.5 + (round * device) / 1e5,
  longitude: 9.9 + (round + device) / 1e5,
  speed_mps: ((round * 17 + device) % 200) / 100,
});

test("a heartbeat of ten metrics takes at most 1,000 bytes of the write-ahead log, and devices stay beside their indexes", async () => {
  await setFullPages(false);
  await expect
    .poll(async () => (await pool.query("show full_page_writes")).rows)
    .toEqual([{ full_page_writes: "off" }]);
  const bare = await measure(() => null);
  const full = await measure(tenMetrics);
  const print = (name: string, { wal, heapOnly }: Cost) =>
    process.stdout.write(`${name}: ${wal.toFixed(0)} bytes of WAL, ${(heapOnly * 100).toFixed(1)} % heap-only\n`);
  print("a heartbeat without metrics", bare);
  print("a heartbeat of ten metrics", full);
  expect(full.wal).toBeLessThanOrEqual(1_000);
  expect(full.wal).toBeGreaterThan(bare.wal);
  expect(full.heapOnly).toBeGreaterThanOrEqual(0.9);
  expect(full.heapOnly).toBeGreaterThanOrEqual(bare.heapOnly - 0.05);
});
