import { afterAll, expect, test } from "vitest";
import { pool } from "@/server/platform/db";
import { float8, queryRows } from "@/server/platform/rows";

const [devices, beats] = [100, 200];
const first = 1_900_000_000;
const day = "2027-06-15";
const part = "metric_points_20270615";

afterAll(() =>
  pool.query(
    "drop table if exists metric_points_20270615, metric_changes_202706, metric_rollups_5m_202706, metric_rollups_1h_202706",
  ),
);

/** The bytes of a table with its indexes, for each of its rows. */
async function bytesPerRow(table: string): Promise<number> {
  const [row] = await queryRows(
    pool,
    { bytes: float8 },
    `select pg_total_relation_size('${table}')::float8 / (select count(*) from ${table}) as bytes`,
  );
  return row?.bytes ?? Infinity;
}

test("a heartbeat of ten metrics takes at most 220 bytes in its table and index", async () => {
  await pool.query("select make_metric_parts($1, $1)", [day]);
  // As they come: one heartbeat of each device every 30 seconds, in an order of chance, a statement for fifty of them.
  for (let beat = 0; beat < beats; beat++) {
    for (let batch = 0; batch < devices; batch += 50) {
      await pool.query(
        `insert into metric_points (device, at, list, "values")
         select $1 + (n * 37 + $2) % ${devices}, $3::timestamptz + make_interval(secs => 30 * $2 + n / 50.0), 1,
           (select array_agg(round(((n * 7919 + $2 * 104729 + v * 15485863) % 10007 / 100.0)::numeric, 2)::float8)
            from generate_series(1, 10) v)
         from generate_series($4::int, $4 + 49) n`,
        [first, beat, `${day}T06:00:00Z`, batch],
      );
    }
  }
  const points = await bytesPerRow(part);
  process.stdout.write(`bytes of a heartbeat of ten metrics: ${points.toFixed(0)}\n`);
  expect(points).toBeLessThanOrEqual(220);
});
