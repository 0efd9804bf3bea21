// One reading of a recording in a process of its own: `columns`, `signals` (the same with files of signals), `messages`
// or `stream`, then a small file of the same content, which is read ten times first, as a worker that runs has read
// others; then the file, then its kind if it is one of `madeKinds`. Prints what it took as JSON.
import fs from "node:fs";
import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fiftyConditions } from "@/bench/made-rules";
import { streamSeconds } from "@/bench/stream";
import { parseCondition } from "@/domain/conditions/condition-schema";
import { processColumns } from "@/engine/columns/pass";
import type { Pass, ProcessOptions } from "@/engine/columns/pass";
import type { ByteSource } from "@/engine/formats/byte-source";
import { processRecording } from "@/engine/oracle/process-recording";
import type { RuleInput } from "@/engine/rules/evaluate";
import { SignalsWriter } from "@/engine/signals/signals-writer";
import { madeKinds, type KindOfRecording } from "@/engine/testing/made-recordings";
import { Spool } from "@/server/features/signals/spool";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { signalCompression } from "@/server/platform/files/signal-compression";
import { passHelper } from "@/server/platform/pass/pass-helper";
import { OpenFile } from "@/server/platform/storage/open-file";

const [how = "", small = "", large = "", kind = ""] = process.argv.slice(2);
let signalBytes = 0;

async function pass(location: string): Promise<void> {
  const handle = await open(location);
  const { size } = await handle.stat();
  const file = new OpenFile(handle);
  const fields = kind === "" ? undefined : madeKinds[kind as KindOfRecording].fields;
  const rules = fiftyConditions(fields).map((condition, n) => ({
    uid: String(n),
    version: 1,
    condition: parseCondition(condition),
  }));
  const files = [{ size, read: file.read.bind(file) }];
  const [codecs, thread] = await Promise.all([recordingCodecs(), passHelper()]);
  const options = { codecs, ...(thread && { thread }) };
  if (how === "signals") await passWithSignals(location, files, rules, options);
  else encodeAll(await (how === "columns" ? processColumns : processRecording)(files, rules, options));
  await handle.close();
}

/** Encodes every series, as they are stored. */
function encodeAll({ series }: Pass): void {
  for (const { topic, data } of series.finish())
    if (data.length === 0) throw new Error(`a series of ${topic} is empty`);
}

/** Files of signals are written beside the recording, and removed afterwards. */
async function passWithSignals(
  location: string,
  files: ByteSource[],
  rules: RuleInput[],
  options: ProcessOptions,
): Promise<void> {
  const spool = await Spool.create(`${location}.signals`);
  const begin = () => {
    spool.clear();
    return new SignalsWriter({ compression: signalCompression(), open: (topic) => spool.sink(topic) });
  };
  const passed = await processColumns(files, rules, { ...options, signals: begin });
  encodeAll(passed);
  const { signals } = passed;
  if (signals === null) throw new Error("signals were given up");
  signalBytes = signals.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  await spool.remove();
}

const read = async (location: string): Promise<void> => {
  await (how === "stream" ? streamSeconds(location) : pass(location));
};

for (let times = 0; times < 10; times++) await read(small);
// What is compiled in the background meanwhile belongs to the first reading.
await sleep(500);
const used = process.cpuUsage();
const began = performance.now();
await read(large);
const seconds = (performance.now() - began) / 1_000;
const { user, system } = process.cpuUsage(used);
const [, peak] = /VmHWM:\s+(\d+) kB/.exec(fs.readFileSync("/proc/self/status", "utf8")) ?? [];
process.stdout.write(
  `${JSON.stringify({ seconds, cpuSeconds: (user + system) / 1e6, peakMb: Number(peak) / 1024, signalBytes })}\n`,
);
