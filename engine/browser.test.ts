import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import vm from "node:vm";
import { rolldown } from "rolldown";
import { beforeAll, describe, expect, it } from "vitest";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import type { loadPortableCodecs } from "@/engine/formats/codecs/portable-codecs";
import { bz2Bag } from "@/engine/testing/bz2-bag";
import { mixedRecording } from "@/engine/testing/mixed-recording";
import { surveyRecording } from "@/engine/testing/survey";
import { writeBag } from "@/engine/testing/write-bag";
import { writeMcap } from "@/engine/testing/write-mcap";
import { absentNodeModules, threadOptions } from "@/scripts/page-workers.mjs";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

/** The globals of a browser's worker; none of Node's. */
const webGlobals = {
  AbortController,
  AbortSignal,
  Blob,
  TextDecoder,
  TextEncoder,
  atob,
  btoa,
  clearTimeout,
  console,
  importScripts: () => {},
  location: { href: "https://muster.example/worker.js" },
  performance,
  queueMicrotask,
  // oxlint-disable-next-line no-restricted-globals -- workers have it
  setTimeout,
};

const conditions = [
  { type: "threshold", topic: "/json", field: "mode", operator: "eq", value: "IDLE" },
  { type: "threshold", topic: "/cdr", field: "j", operator: "gt", value: 0.9 },
  { type: "threshold", topic: "/proto", field: "mode", operator: "eq", value: "DRIVE" },
  { type: "absence", topic: "/a", timeout: "500ms" },
  { type: "threshold", topic: "/broken", field: "x", operator: "gt", value: 1 },
];

interface Survey {
  messages: unknown[];
  results: { hits: unknown[] }[];
  warnings: string[];
}

let browser: { surveyRecording: typeof surveyRecording };
let browserCodecs: Codecs;

beforeAll(async () => {
  const bundle = await rolldown({
    ...threadOptions,
    input: "engine/testing/survey.ts",
    plugins: [absentNodeModules],
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format: "iife", name: "engine" });
  await bundle.close();
  const [{ code, imports }] = output;
  expect(imports).toEqual([]);
  // As the policy of pages' threads: functions may not be made from text, WebAssembly may be compiled.
  const context = vm.createContext({ ...webGlobals }, { codeGeneration: { strings: false, wasm: true } });
  context.self = context;
  vm.runInContext(code, context, { filename: "engine-in-a-browser.js" });
  const bundled = context.engine as typeof browser & { loadPortableCodecs: typeof loadPortableCodecs };
  browser = bundled;
  const find = createRequire(import.meta.url).resolve;
  browserCodecs = await bundled.loadPortableCodecs({
    zstd: readFileSync(find("@foxglove/wasm-zstd/dist/wasm-zstd.wasm")),
  });
});

const { channels, messages } = mixedRecording(120);
const numbers = {
  channels: [{ topic: "/a", messageEncoding: "ros1", schemaName: "std_msgs/Float64", schema: "float64 data\n" }],
  messages: [0, 1, 2, 3].map((i) => ({ topic: "/a", time: BigInt(i) * 1_000_000_000n, data: Buffer.alloc(8, i) })),
};

/** The survey of a file on the server, and in the browser. */
async function surveys(bytes: Uint8Array): Promise<[Survey, Survey]> {
  const file = new Blob([new Uint8Array(bytes)]);
  const here = await surveyRecording(file, await recordingCodecs(), conditions);
  const there = await browser.surveyRecording(file, browserCodecs, conditions);
  return [JSON.parse(here) as Survey, JSON.parse(there) as Survey];
}

describe("in a browser's worker, without Node", () => {
  it.each<[string, messages: number, hits: number, () => Uint8Array | Promise<Uint8Array>]>([
    [
      "MCAP compressed by zstd",
      720,
      69,
      () => writeMcap(channels, messages, { compression: "zstd", chunkBytes: 20_000 }),
    ],
    [
      "MCAP compressed by lz4",
      720,
      69,
      () => writeMcap(channels, messages, { compression: "lz4", chunkBytes: 20_000 }),
    ],
    ["MCAP without chunks and index", 720, 69, () => writeMcap(channels, messages, { chunkBytes: 0, noSummary: true })],
    ["a ROS 1 bag compressed by bzip2", 3, 2, bz2Bag],
    ["a ROS 1 bag compressed by lz4", 4, 3, () => writeBag(numbers.channels, numbers.messages, { compression: "lz4" })],
  ])("%s gives the same %i messages, %i rule hits and series as on the server", async (_, messages, hits, write) => {
    const [here, there] = await surveys(await write());
    expect(there).toEqual(here);
    expect([there.messages.length, there.results.flatMap((result) => result.hits).length]).toEqual([messages, hits]);
  });

  it("a damaged lz4 chunk is read as far as on the server, and the chunks after it completely", async () => {
    const file = await writeMcap(channels, messages, { compression: "lz4", chunkBytes: 20_000 });
    const [here, there] = await surveys(file.fill(0xee, 3_000, 3_400));
    expect(there).toEqual(here);
    expect(there.warnings.join()).toContain("is damaged; what could be decompressed was read");
    expect(there.messages.length).toBeGreaterThan(500);
  });
});
