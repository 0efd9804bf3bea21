import type pg from "pg";
import { addOfflineFleet, devices } from "@/bench/fleet";
import type { Product } from "@/bench/product";
import { report } from "@/bench/report";
import { heartbeatTiming } from "@/domain/devices/connectivity";
import { fineRollups, hourRollups } from "@/server/features/health/rollup-service";
import { defaultRetention } from "@/server/platform/operator-retention";
import { float8, int4, notNull, queryRows, text, timestamptz } from "@/server/platform/rows";

/** Three steps of five minutes, which is what one transaction of the job makes. */
const minutes = 15;
const beats = (minutes * 60) / heartbeatTiming.intervalSeconds;
/** Heartbeats that one statement writes, as several web processes do under load. */
const together = 50;

async function measure(database: pg.Pool, expression: string): Promise<number> {
  const [row] = await queryRows(database, { value: notNull(float8) }, `select (${expression})::float8 as value`);
  return row?.value ?? Number.NaN;
}

/** The bytes of a row with its part of the indexes, in parts that hold little else. */
async function bytesPerRow(database: pg.Pool, table: string): Promise<number> {
  const bytes = `select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = '${table}'::regclass`;
  return measure(database, `(${bytes}) / (select count(*) from ${table})`);
}

/** Writes what the devices say in a quarter of an hour, in the order in which it comes. */
async function addPoints(database: pg.Pool, since: string): Promise<void> {
  for (let beat = 0; beat < beats; beat++) {
    for (let batch = 0; batch < devices; batch += together) {
      await database.query(
        `insert into metric_points (device, at, list, "values")
         select d.number, $1::timestamptz + make_interval(secs => $2::int * ${heartbeatTiming.intervalSeconds}), 1,
           (select array_agg(((d.number * 7919 + $2 * 104729 + v * 15485863) % 10007) / 100.0::float8)
            from generate_series(1, 10) v)
         from (select number from devices where metric_list is not null order by number limit ${together} offset $3) d`,
        [since, beat, (batch * 37) % devices],
      );
    }
  }
}

async function timed(database: pg.Pool, statement: { text: string; values: unknown[] }): Promise<number> {
  const began = performance.now();
  await database.query(statement.text, statement.values);
  return performance.now() - began;
}

const charted = { devices: 200, days: 30, metrics: 10 } as const;

/** Gives devices of the fleet, from one place to another by number, the rollups of each hour of the days of a chart. */
async function addHours(database: pg.Pool, list: number, from: number, to: number): Promise<void> {
  const numbers = `array(select ((d.number * 7919 + h * 104729 + v * 15485863) % 10007) / 100.0::float8
    from generate_series(1, ${charted.metrics}) v)`;
  await database.query(
    `with chosen as (update devices set metric_list = $1::int where number in (
       select number from devices where name like 'returning-%' order by number offset $2 limit $3) returning number)
     insert into metric_rollups_1h (device, at, list, minimum, mean, maximum, last, counts)
     select d.number, date_trunc('hour', now(), 'UTC') - make_interval(hours => h), $1::int,
       n.list, n.list, n.list, n.list, array_fill(120, array[${charted.metrics}])
     from chosen d cross join generate_series(1, ${charted.days * 24}) h cross join lateral (select ${numbers} as list) n
     on conflict do nothing`,
    [list, from, to - from],
  );
  await database.query("vacuum analyze metric_rollups_1h");
}

/** Reads the chart of all metrics of a device. Resolves to the p50 in milliseconds. */
async function readChart(product: Product, device: string): Promise<number> {
  const since = new Date(Date.now() - charted.days * 86_400_000).toISOString();
  const names = Array.from({ length: charted.metrics }, (_, n) => `charted_${n}`).join(",");
  const times: number[] = [];
  for (let round = 0; round < 40; round++) {
    const began = performance.now();
    const { names: series } = await product.call<{ names: { points: unknown[] | null }[] }>(
      "GET",
      `/fleet/devices/${device}/metrics/?since=${since}&names=${names}`,
    );
    times.push(performance.now() - began);
    if (series.length !== charted.metrics || (series[0]?.points?.length ?? 0) < 200) throw new Error("no chart");
  }
  return times.sort((a, b) => a - b)[times.length / 2] ?? Number.NaN;
}

/** The chart of a device costs as much among 200 devices as when it is alone. */
async function benchChart(product: Product): Promise<void> {
  const { database, organizationId } = product;
  const [list] = await queryRows(
    database,
    { id: notNull(int4) },
    `with named as (insert into metric_names (organization_id, name)
       select $1, 'charted_' || n from generate_series(0, ${charted.metrics - 1}) n returning id)
     insert into metric_lists (organization_id, names) select $1, array_agg(id order by id) from named returning id`,
    [organizationId],
  );
  const [device] = await queryRows(
    database,
    { uid: notNull(text) },
    "select uid from devices where name like 'returning-%' order by number limit 1",
  );
  if (!list || !device) throw new Error("nothing to chart");
  await database.query(`select make_metric_parts(now() - interval '${charted.days + 1} days', now())`);
  await addHours(database, list.id, 0, 1);
  const alone = await readChart(product, device.uid);
  await addHours(database, list.id, 1, charted.devices);
  const among = await readChart(product, device.uid);
  report({
    name: `health: chart of ${charted.days} days of a device among ${charted.devices}, beside alone`,
    measured: among,
    anchor: alone,
    unit: "ms",
    ratio: among / alone,
    below: 1.5,
  });
}

/** What the metrics of 10,000 devices take: bytes of a heartbeat, of its rollups, of all, and the making of rollups. */
export async function benchHealth(product: Product): Promise<void> {
  const { database } = product;
  await addOfflineFleet(product);
  await benchChart(product);
  await database.query("delete from metric_rollups_1h");
  await database.query("update devices set metric_list = 1 where name like 'returning-%'");
  const [clock] = await queryRows(
    database,
    { since: notNull(timestamptz) },
    "select date_trunc('hour', now(), 'UTC') - interval '6 hours' as since",
  );
  const since = new Date(clock?.since ?? "");
  const until = new Date(since.getTime() + minutes * 60_000);
  const wal = () => measure(database, "pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')");
  const before = await wal();
  await addPoints(database, since.toISOString());
  const perPoint = ((await wal()) - before) / (beats * devices);
  const points = await bytesPerRow(database, "metric_points");
  const fineMs = await timed(database, fineRollups(since, until));
  const hourMs = await timed(database, hourRollups(since, new Date(since.getTime() + 3_600_000)));
  const [fine, hour] = [
    await bytesPerRow(database, "metric_rollups_5m"),
    await bytesPerRow(database, "metric_rollups_1h"),
  ];
  const print = (name: string, measured: number, unit: string, under?: number) =>
    report({ name: `health: ${name}`, measured, anchor: measured, unit, ratio: 1, ...(under && { under }) });
  print("a heartbeat of ten metrics in table and index", points, "bytes", 220);
  print("a heartbeat of ten metrics in the write-ahead log, its device left out", perPoint, "bytes");
  print("rollups of five minutes in table and index", fine, "bytes");
  print("rollups of an hour in table and index", hour, "bytes");
  print(`rollups of ${minutes} minutes of ${devices.toLocaleString("en")} devices`, fineMs, "ms", minutes * 6_000);
  print(`rollups of their hour`, hourMs, "ms", 60_000);
  const perDay = 86_400 / heartbeatTiming.intervalSeconds;
  const gigabytes = (bytes: number, rows: number, days: number) => (bytes * rows * days * devices) / 1e9;
  const { metrics_raw: raw, metrics_5m: coarse, metrics_1h: hours } = defaultRetention;
  // Parts go as a whole: a day or a month later at most.
  const sizes: [string, number][] = [
    ["each number", gigabytes(points, perDay, (raw ?? 0) + 1)],
    ["five minutes", gigabytes(fine, 288, (coarse ?? 0) + 31)],
    ["hours", gigabytes(hour, 24, (hours ?? 0) + 31)],
  ];
  for (const [name, size] of sizes) print(`${name} of ten metrics at most`, size, "GB");
}
