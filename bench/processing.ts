import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import zstd from "@foxglove/wasm-zstd";
import { McapStreamReader } from "@mcap/core";
import { makeFile, upload } from "@/bench/made-file";
import type { Product } from "@/bench/product";
import { report } from "@/bench/report";
import { int4, nullable, queryRows, text } from "@/server/platform/rows";

const memoryLimit = 400;

/** Creates fifty rules on the generator's topics: thresholds, frequencies and absences. */
async function makeRules(product: Product): Promise<string[]> {
  const fields: [string, string, number][] = [
    ["/imu", "linear_acceleration.z", 9.85],
    ["/imu", "angular_velocity.z", 0.9],
    ["/imu", "orientation.w", 0.5],
    ["/motor_0", "temperature", 70],
    ["/motor_1", "current", 2.9],
    ["/motor_2", "rpm", 1900],
    ["/motor_*", "temperature", 74],
  ];
  const conditions = Array.from({ length: 50 }, (_, n): object => {
    const [topic, field, value] = fields[n % fields.length]!;
    if (n % 10 === 8) return { type: "frequency", topic, count_operator: "gt", count: 100_000 + n, window: "10s" };
    if (n % 10 === 9) return { type: "absence", topic, timeout: "5s" };
    return { type: "threshold", topic, field, operator: "gt", value: value + n / 1_000, window: "500ms" };
  });
  const uids: string[] = [];
  for (const [n, condition] of conditions.entries()) {
    const body = { name: `rule ${n}`, condition, actions: [{ type: "tag", value: `rule-${n}` }] };
    uids.push((await product.call<{ uid: string }>("POST", "/fleet/rules/", body)).uid);
  }
  return uids;
}

/** Resident memory of a process in MB: `VmHWM` is its peak, `VmRSS` the current value. */
export function readMemory(pid: number, figure: "VmHWM" | "VmRSS"): number {
  const [, kilobytes] =
    new RegExp(`${figure}:\\s+(\\d+) kB`).exec(fs.readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

/** Seconds that the reference reader takes to read and decompress the file without decoding messages. */
async function anchorSeconds(location: string): Promise<number> {
  await zstd.isLoaded;
  const started = performance.now();
  const reader = new McapStreamReader({
    decompressHandlers: { zstd: (bytes, size) => zstd.decompress(bytes, Number(size)) },
  });
  for await (const chunk of fs.createReadStream(location, { highWaterMark: 1024 * 1024 })) {
    reader.append(chunk as Buffer);
    while (reader.nextRecord());
  }
  if (!reader.done()) throw new Error(`${location} was not read to its end`);
  return (performance.now() - started) / 1_000;
}

async function untilReady(product: Product, recording: string): Promise<void> {
  for (;;) {
    const [row] = await queryRows(
      product.database,
      { status: text, error_message: nullable(text) },
      "select status, error_message from recordings where uid = $1",
      [recording],
    );
    if (row?.status === "ready") return;
    if (row?.status !== "processing") throw new Error(`${recording} is ${row?.status}: ${row?.error_message}`);
    await sleep(20);
  }
}

async function processFile(product: Product, megabytes: number): Promise<void> {
  const { file, seconds: recorded } = await makeFile(product, megabytes);
  const size = file.size / 1e6;
  // Writing the file blocks the event loop; this lets it notice connections that the server closed meanwhile.
  await sleep(100);
  const rules = await makeRules(product);
  const device = await product.call<{ uid: string }>("POST", "/fleet/devices/", { name: `carrier-${megabytes}` });
  const { worker } = product.pids();
  if (worker === null) throw new Error("there is no worker");
  const idle = readMemory(worker, "VmRSS");
  const { recording, finalizedAt } = await upload(product, device.uid, file);
  await untilReady(product, recording);
  const seconds = (performance.now() - finalizedAt) / 1_000;
  const peak = readMemory(worker, "VmHWM");
  if (product.pids().worker !== worker) throw new Error("the worker was replaced meanwhile");
  const [done] = await queryRows(
    product.database,
    { evaluated: int4 },
    "select count(*)::int as evaluated from rule_evaluations where recording_id = $1 and status = 'evaluated' and rule_id = any($2)",
    [recording, rules],
  );
  if (done?.evaluated !== rules.length) throw new Error(`${done?.evaluated} of ${rules.length} rules were evaluated`);
  const anchor = await anchorSeconds(file.location);
  report({
    name: `Processing ${Math.round(size)} MB of zstd MCAP with ${rules.length} rules beside a bare read`,
    measured: size / seconds,
    anchor: size / anchor,
    unit: "MB/s",
    ratio: anchor / seconds,
    note: `${seconds.toFixed(1)} s from finalize to ready, ${(recorded / seconds).toFixed(0)} times faster than real time`,
  });
  report({
    name: `The worker's peak memory with ${Math.round(size)} MB beside its idle memory`,
    measured: peak,
    anchor: idle,
    unit: "MB",
    ratio: peak / memoryLimit,
    under: memoryLimit,
    note: `ratio to ${memoryLimit} MB`,
  });
  // Later benchmarks run without the fifty rules.
  for (const uid of rules) await product.call("DELETE", `/fleet/rules/${uid}/`);
  await product.call("DELETE", `/fleet/recordings/${recording}/`);
  fs.rmSync(file.location);
}

/** Time and memory of the pipeline from the end of an upload to `ready`. */
export const benchProcessing = (product: Product): Promise<void> => processFile(product, 200);

/** The same with a file larger than the memory limit. */
export const benchMemory = (product: Product): Promise<void> => processFile(product, 2_000);
