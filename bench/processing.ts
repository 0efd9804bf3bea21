import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { makeFile, upload } from "@/bench/made-file";
import { fiftyConditions } from "@/bench/made-rules";
import type { Product } from "@/bench/product";
import { report } from "@/bench/report";
import { streamSeconds } from "@/bench/stream";
import { int4, nullable, queryRows, text } from "@/server/platform/rows";

const memoryLimit = 400;

/** Creates fifty rules on the generator's topics. */
async function makeRules(product: Product): Promise<string[]> {
  const uids: string[] = [];
  for (const [n, condition] of fiftyConditions().entries()) {
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
  const anchor = await streamSeconds(file.location);
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
