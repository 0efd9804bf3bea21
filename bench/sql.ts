import fs from "node:fs";
import { makeFile, untilStored, upload } from "@/bench/made-file";
import type { Product } from "@/bench/product";
import { report } from "@/bench/report";
import { float8, queryRows } from "@/server/platform/rows";

const recordings = 1_000;
const megabytes = 1;

/** Ten questions of each kind, no two of them the same. */
const kinds: readonly ((n: number) => string)[] = [
  (n) => `select avg("temperature") from "/motor_${n % 3}" where "temperature" > ${n}`,
  (n) =>
    `select recording_id, max("current") from "/motor_${n % 3}" where "rpm" > ${n * 10} group by 1 order by 2 desc limit 20`,
  (n) => `select count(*) from "/imu" where "angular_velocity.z" > ${n / 20}`,
  (n) => `select device_name, quantile_cont("linear_acceleration.z", 0.${n + 10}) from "/imu" group by 1`,
  (n) =>
    `select time_bucket(interval '${n + 1} seconds', make_timestamp_ns(log_time)) as at, avg("rpm") from "/motor_${n % 3}" group by 1 order by 1`,
];

interface Answer {
  row_count: number;
  bytes_read: number;
  recordings: number;
}

/** Questions over the signals of a fleet. */
export async function benchSql(product: Product): Promise<void> {
  const { file } = await makeFile(product, megabytes);
  const { uid: device } = await product.call<{ uid: string }>("POST", "/fleet/devices/", { name: "asked" });
  const { recording } = await upload(product, device, file);
  for (let n = 1; n < recordings; n++) await upload(product, device, file);
  await untilStored(product, device, recordings);

  const ask = async (
    sql: string,
    more: object = { device_ids: [device] },
  ): Promise<{ seconds: number; answer: Answer }> => {
    const began = performance.now();
    const answer = await product.call<Answer>("POST", "/fleet/signals/query/", { sql, ...more });
    if (answer.row_count === 0) throw new Error(`no rows: ${sql}`);
    return { seconds: (performance.now() - began) / 1_000, answer };
  };
  const sorted = (times: number[]): number[] => times.toSorted((a, b) => a - b);

  const [stored] = await queryRows(
    product.database,
    { bytes: float8 },
    "select sum(f.size_bytes)::float8 as bytes from signal_files f join recordings r on r.uid = f.recording_id where r.device_id = $1 and f.topic = '/imu'",
    [device],
  );
  const one = await ask('select avg("orientation.w") from "/imu"');
  report({
    name: `Bytes read for the first question on one field of ${recordings} recordings, beside those of its topic`,
    measured: one.answer.bytes_read / 1e6,
    anchor: stored!.bytes / 1e6,
    unit: "MB",
    ratio: one.answer.bytes_read / stored!.bytes,
    note: `target: a tenth; answered after ${one.seconds.toFixed(1)} s`,
  });

  const single: number[] = [];
  for (const kind of kinds) single.push((await ask(kind(0), { recordings: [recording] })).seconds);
  const times: number[] = [];
  const firsts: number[] = [];
  for (const kind of kinds) {
    for (let n = 1; n <= 10; n++) {
      const { seconds } = await ask(kind(n));
      times.push(seconds);
      if (n === 1) firsts.push(seconds);
    }
  }
  const p95 = sorted(times)[Math.ceil(times.length * 0.95) - 1]!;
  const anchor = sorted(single)[Math.floor(single.length / 2)]!;
  report({
    name: `The 95th percentile of ${times.length} questions over ${recordings} recordings beside one recording's median`,
    measured: p95,
    anchor,
    unit: "s",
    ratio: anchor / p95,
    note: `median ${sorted(times)[times.length / 2]!.toFixed(2)} s, slowest ${Math.max(...times).toFixed(2)} s, the first of each kind ${firsts.map((time) => time.toFixed(1)).join(", ")} s`,
  });
  await product.call("DELETE", `/fleet/devices/${device}/`);
  fs.rmSync(file.location);
}
