import { once } from "node:events";
import { closeSync, createReadStream, createWriteStream, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { McapFileWriter } from "@/engine/testing/write-mcap";
import { prisma } from "@/server/platform/db";
import { bundleProgram, startProgram } from "@/server/testing/child-program";
import { makeDevice, makeOrganization } from "@/server/testing/factories";
import { epoch, uploadRecording } from "@/server/testing/processing";
import { jobIds, removeJobs, returnJobs } from "@/server/testing/queued-jobs";

const MB = 1024 * 1024;

let folder: string;
let program: Awaited<ReturnType<typeof bundleProgram>>;
beforeAll(async () => {
  folder = mkdtempSync(path.resolve(".test/memory-"));
  program = await bundleProgram("processing-process");
});
afterAll(() => {
  program.remove();
  rmSync(folder, { recursive: true });
});

/** Writes a recording of so many bytes, most of them scans that are not decoded. */
async function writeRecording(bytes: number): Promise<string> {
  const location = path.join(folder, `${bytes}.mcap`);
  const file = openSync(location, "w");
  const channels = [
    { topic: "/scan", messageEncoding: "made up" },
    { topic: "/speed", messageEncoding: "json" },
  ];
  const writer = await McapFileWriter.create((part) => void writeSync(file, part), channels, { chunkBytes: MB });
  const scan = Buffer.alloc(64 * 1024, "scan");
  for (let n = 0; n * scan.length < bytes; n++) {
    const time = epoch + BigInt(n) * 10_000_000n;
    writer.add({ topic: "/scan", time, data: scan });
    writer.add({ topic: "/speed", time, data: Buffer.from(JSON.stringify({ value: n % 7 })) });
  }
  writer.close();
  closeSync(file);
  return location;
}

async function compress(location: string): Promise<string> {
  await pipeline(createReadStream(location), createGzip({ level: 1 }), createWriteStream(`${location}.gz`));
  return `${location}.gz`;
}

test.each([
  ["the recording", (location: string) => Promise.resolve(location)],
  ["what a compressed file holds", compress],
])("the memory that processing needs does not grow with %s", async (_, prepare) => {
  const own = await makeOrganization();
  const device = await makeDevice(own);
  // How much is taken at most depends on when garbage is collected, by up to 50 MB.
  const [small, large] = [24 * MB, 24 * 12 * MB];
  const recordings: string[] = [];
  for (const bytes of [small, large])
    recordings.push(await uploadRecording(own, device.uid, [await prepare(await writeRecording(bytes))]));
  // Without what Node is given for the tests themselves.
  const environment = { ORGANIZATION: own.uid, RECORDINGS: recordings.join(), NODE_OPTIONS: "" };
  const [child] = await startProgram(program.file, environment);
  const [{ most }] = (await once(child, "message")) as [{ most: number[] }];
  expect(await prisma.recording.count({ where: { uid: { in: recordings }, status: "ready" } })).toBe(2);
  expect(most[1]! - most[0]!).toBeLessThan((large - small) / 4);
  for (const recordingId of recordings) {
    await returnJobs(`worker of ${recordingId}`);
    await removeJobs(await jobIds({ recordingId }));
  }
});
