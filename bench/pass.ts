import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { build, stop } from "esbuild";
import type { Product } from "@/bench/product";
import { report } from "@/bench/report";
import { generateRecording } from "@/engine/testing/generate-recording";
import { madeKinds, writeMadeRecording, type KindOfRecording } from "@/engine/testing/made-recordings";

const megabytes = 200;
const rounds = 3;

interface Run {
  seconds: number;
  cpuSeconds: number;
  peakMb: number;
  /** Bytes of the files of signals. */
  signalBytes: number;
}

/** Bundles the program for one reading as the server is bundled. */
async function bundle(outfile: string): Promise<void> {
  await build({
    entryPoints: ["bench/pass-run.ts"],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "silent",
  });
  await stop();
}

type How = "columns" | "signals" | "stream" | "messages";

const runOnce = (program: string, how: How, file: string, kind: string): Run => {
  const output = execFileSync(process.execPath, [program, how, file, kind], {
    encoding: "utf8",
    env: { ...process.env, LOG_LEVEL: "error" },
  });
  return JSON.parse(output.trim().split("\n").at(-1)!) as Run;
};

/** The reading of each sort that took the least processor time, of several in turns. */
function runAll(program: string, file: string, kind = ""): Record<How, Run> {
  const best: Partial<Record<How, Run>> = {};
  for (let round = 0; round < rounds; round++) {
    for (const how of ["columns", "signals", "stream", "messages"] as const) {
      const run = runOnce(program, how, file, kind);
      if (best[how] === undefined || run.cpuSeconds < best[how].cpuSeconds) best[how] = run;
    }
  }
  return best as Record<How, Run>;
}

/** The pass with fifty rules and every series beside the reference reader's bare stream, and beside the older pass. */
export async function benchPass(product: Product): Promise<void> {
  // Beside the node_modules that it needs.
  const program = path.resolve("dist/bench-pass.mjs");
  await bundle(program);
  for (const [compression, atLeast] of [
    ["zstd", 2.2],
    ["lz4", 2.5],
    ["", 2.2],
  ] as const) {
    const file = path.join(product.dataDir, `pass-${compression}.mcap`);
    await generateRecording({ path: file, bytes: (megabytes * 1e6) / 0.486, compression });
    const { columns, signals, stream, messages } = runAll(program, file);
    const name = compression === "" ? "uncompressed" : compression;
    report({
      name: `The pass over ${name} MCAP (${Math.round(fs.statSync(file).size / 1e6)} MB, 50 rules) beside a bare read`,
      measured: columns.seconds,
      anchor: stream.seconds,
      unit: "s",
      ratio: stream.seconds / columns.seconds,
      atLeast,
      note: `CPU ${columns.cpuSeconds.toFixed(2)} and ${stream.cpuSeconds.toFixed(2)} s, at most ${Math.round(columns.peakMb)} MB`,
    });
    report({
      name: `The same beside the pass message by message`,
      measured: columns.seconds,
      anchor: messages.seconds,
      unit: "s",
      ratio: messages.seconds / columns.seconds,
      note: `CPU ${messages.cpuSeconds.toFixed(2)} s, at most ${Math.round(messages.peakMb)} MB`,
    });
    reportSignals(`The pass over ${name} MCAP with its signals`, columns, signals, file);
    fs.rmSync(file);
  }
  for (const kind of Object.keys(madeKinds) as KindOfRecording[]) {
    const file = path.join(product.dataDir, "pass-kind.mcap");
    await writeMadeRecording(kind, file, megabytes * 1e6);
    benchKind(program, file, kind);
    fs.rmSync(file);
  }
  fs.rmSync(program);
}

/** Recordings of one character: beside the pass message by message, with the bare read in the note. */
function benchKind(program: string, file: string, kind: KindOfRecording): void {
  const { columns, signals, stream, messages } = runAll(program, file, kind);
  report({
    name: `The pass over ${kind} (${Math.round(fs.statSync(file).size / 1e6)} MB of zstd, 50 rules) beside that message by message`,
    measured: columns.cpuSeconds,
    anchor: messages.cpuSeconds,
    unit: "s of CPU",
    ratio: messages.cpuSeconds / columns.cpuSeconds,
    note: `a bare read takes ${stream.cpuSeconds.toFixed(2)} s, at most ${Math.round(columns.peakMb)} MB`,
  });
  reportSignals(`The pass over ${kind} with its signals`, columns, signals, file);
}

/** What writing the signals in the same pass costs. */
function reportSignals(name: string, columns: Run, signals: Run, file: string): void {
  const share = (100 * signals.signalBytes) / fs.statSync(file).size;
  report({
    name: `${name} beside that without`,
    measured: signals.cpuSeconds,
    anchor: columns.cpuSeconds,
    unit: "s of CPU",
    ratio: columns.cpuSeconds / signals.cpuSeconds,
    note: `${signals.seconds.toFixed(2)} s, signals of ${share.toFixed(1)} % of the file, at most ${Math.round(signals.peakMb)} MB`,
  });
}
