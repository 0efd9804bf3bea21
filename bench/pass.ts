import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { build, stop } from "esbuild";
import { readByCpp } from "@/bench/cpp";
import type { Product } from "@/bench/product";
import { report } from "@/bench/report";
import { generateRecording } from "@/engine/testing/generate-recording";
import { madeKinds, writeMadeRecording, type KindOfRecording } from "@/engine/testing/made-recordings";

const megabytes = 200;
const smallMegabytes = 20;
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

/** A recording, and a small one of the same content. */
interface Pair {
  large: string;
  small: string;
}

const runOnce = (program: string, how: How, { large, small }: Pair, kind: string): Run => {
  const output = execFileSync(process.execPath, [program, how, small, large, kind], {
    encoding: "utf8",
    env: { ...process.env, LOG_LEVEL: "error" },
  });
  return JSON.parse(output.trim().split("\n").at(-1)!) as Run;
};

/** The reading of each sort that took the least processor time, of several in turns. */
function runAll(program: string, pair: Pair, kind = ""): Record<How, Run> {
  const best: Partial<Record<How, Run>> = {};
  for (let round = 0; round < rounds; round++) {
    for (const how of ["columns", "signals", "stream", "messages"] as const) {
      const run = runOnce(program, how, pair, kind);
      if (best[how] === undefined || run.cpuSeconds < best[how].cpuSeconds) best[how] = run;
    }
  }
  return best as Record<How, Run>;
}

const pairIn = ({ dataDir }: Product): Pair => ({
  large: path.join(dataDir, "pass.mcap"),
  small: path.join(dataDir, "pass-small.mcap"),
});

function remove({ large, small }: Pair): void {
  fs.rmSync(large);
  fs.rmSync(small);
}

/** The pass with fifty rules and every series beside the reference reader's bare stream, and beside the older pass. */
export async function benchPass(product: Product): Promise<void> {
  // Beside the node_modules that it needs.
  const program = path.resolve("dist/bench-pass.mjs");
  await bundle(program);
  for (const [compression, atLeast, ofCpp] of [
    ["zstd", 2.2, 0.5],
    ["lz4", 2.5, 0.3],
    ["", 2.2, 0.35],
  ] as const) {
    const pair = pairIn(product);
    const file = pair.large;
    await generateRecording({ path: pair.large, bytes: (megabytes * 1e6) / 0.486, compression });
    await generateRecording({ path: pair.small, bytes: (smallMegabytes * 1e6) / 0.486, compression });
    const { columns, signals, stream, messages } = runAll(program, pair);
    const cpp = readByCpp(file);
    const name = compression === "" ? "uncompressed" : compression;
    const pass = `The pass over ${name} MCAP (${Math.round(fs.statSync(file).size / 1e6)} MB, 50 rules)`;
    if (cpp !== null) {
      report({
        name: `${pass} beside the C++ library in the order of the file`,
        measured: columns.seconds,
        anchor: cpp.seconds,
        unit: "s",
        ratio: cpp.seconds / columns.seconds,
        atLeast: ofCpp,
        note: `CPU ${columns.cpuSeconds.toFixed(2)} and ${cpp.cpuSeconds.toFixed(2)} s`,
      });
    }
    report({
      name: `${pass} beside a bare read`,
      measured: columns.seconds,
      anchor: stream.seconds,
      unit: "s",
      ratio: stream.seconds / columns.seconds,
      ...(cpp === null && { atLeast }),
      note: `CPU ${columns.cpuSeconds.toFixed(2)} and ${stream.cpuSeconds.toFixed(2)} s, at most ${Math.round(columns.peakMb)} MB, load ${os.loadavg()[0]!.toFixed(1)}`,
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
    remove(pair);
  }
  for (const kind of Object.keys(madeKinds) as KindOfRecording[]) {
    const pair = pairIn(product);
    await writeMadeRecording(kind, pair.large, megabytes * 1e6);
    await writeMadeRecording(kind, pair.small, smallMegabytes * 1e6);
    benchKind(program, pair, kind);
    remove(pair);
  }
  fs.rmSync(program);
}

/** Where the pass is promised to be so many times as fast as that message by message. */
const promised: Partial<Record<KindOfRecording, number>> = { lists: 2.5 };

/** Recordings of one character: beside the pass message by message, with the bare read in the note. */
function benchKind(program: string, pair: Pair, kind: KindOfRecording): void {
  const file = pair.large;
  const { columns, signals, stream, messages } = runAll(program, pair, kind);
  const atLeast = promised[kind];
  report({
    name: `The pass over ${kind} (${Math.round(fs.statSync(file).size / 1e6)} MB of zstd, 50 rules) beside that message by message`,
    measured: columns.cpuSeconds,
    anchor: messages.cpuSeconds,
    unit: "s of CPU",
    ratio: messages.cpuSeconds / columns.cpuSeconds,
    ...(atLeast !== undefined && { atLeast }),
    note: `${columns.seconds.toFixed(2)} s; a bare read takes ${stream.cpuSeconds.toFixed(2)} s of CPU; load ${os.loadavg()[0]!.toFixed(1)}; at most ${Math.round(columns.peakMb)} MB`,
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
