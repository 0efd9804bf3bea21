// One reading of a recording in a process of its own: `columns`, `messages` or `stream`, then the file, then its kind if
// it is one of `madeKinds`. Prints what it took as JSON.
import fs from "node:fs";
import { open } from "node:fs/promises";
import { fiftyConditions } from "@/bench/made-rules";
import { streamSeconds } from "@/bench/stream";
import { parseCondition } from "@/domain/conditions/condition-schema";
import { processColumns } from "@/engine/columns/pass";
import { processRecording } from "@/engine/pass/pass";
import { madeKinds, type KindOfRecording } from "@/engine/testing/made-recordings";
import { recordingCodecs } from "@/server/platform/recording-codecs";

const [how = "", location = "", kind = ""] = process.argv.slice(2);

async function pass(): Promise<void> {
  const handle = await open(location);
  const { size } = await handle.stat();
  const read = async (offset: number, length: number, target?: Uint8Array): Promise<Uint8Array> => {
    const buffer = target ?? Buffer.allocUnsafeSlow(Math.max(0, Math.min(length, size - offset)));
    const { bytesRead } = await handle.read(buffer, 0, Math.min(length, buffer.length), offset);
    return buffer.subarray(0, bytesRead);
  };
  const fields = kind === "" ? undefined : madeKinds[kind as KindOfRecording].fields;
  const rules = fiftyConditions(fields).map((condition, n) => ({
    uid: String(n),
    version: 1,
    condition: parseCondition(condition),
  }));
  const run = how === "columns" ? processColumns : processRecording;
  const { series } = await run([{ size, read }], rules, { codecs: await recordingCodecs() });
  series.finish();
  await handle.close();
}

await recordingCodecs();
const used = process.cpuUsage();
const began = performance.now();
await (how === "stream" ? streamSeconds(location) : pass());
const seconds = (performance.now() - began) / 1_000;
const { user, system } = process.cpuUsage(used);
const [, peak] = /VmHWM:\s+(\d+) kB/.exec(fs.readFileSync("/proc/self/status", "utf8")) ?? [];
process.stdout.write(
  `${JSON.stringify({ seconds, cpuSeconds: (user + system) / 1e6, peakMb: Number(peak) / 1024 })}\n`,
);
