import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { writeMcap } from "@/engine/testing/write-mcap";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { objectStore } from "@/server/platform/storage/current";
import { bundleProgram, killNow, startProgram } from "@/server/testing/child-program";
import { makeDevice, makeOrganization } from "@/server/testing/factories";
import { epoch, runJobs, uploadRecording } from "@/server/testing/processing";
import { returnJobs } from "@/server/testing/queued-jobs";

let program: Awaited<ReturnType<typeof bundleProgram>>;
beforeAll(async () => {
  program = await bundleProgram("processing-process");
});
afterAll(() => program.remove());

test("a compressed file is decompressed anew after its worker was killed in the middle", async () => {
  const org = await makeOrganization();
  const device = await makeDevice(org);
  const data = Buffer.alloc(1024 * 1024, "scan");
  const messages = Array.from({ length: 200 }, (_, at) => ({ topic: "/scan", time: epoch + BigInt(at), data }));
  const content = await writeMcap([{ topic: "/scan", messageEncoding: "made up" }], messages);
  const uid = await uploadRecording(org, device.uid, [{ path: "run.mcap.gz", bytes: gzipSync(content, { level: 1 }) }]);
  const [file] = await prisma.storedFile.findMany({ where: { recordingId: uid } });
  const folder = path.join(env.DATA_DIR, "tmp", `conversion-${file!.uid}`);
  const partial = path.join(folder, "content");

  const [child] = await startProgram(program.file, { ORGANIZATION: org.uid, RECORDINGS: uid, NODE_OPTIONS: "" });
  const isUnderWay = () => existsSync(partial) && statSync(partial).size > 0;
  await vi.waitUntil(() => child.exitCode !== null || isUnderWay(), { timeout: 60_000, interval: 2 });
  await killNow(child);
  expect(statSync(partial).size).toBeLessThan(content.length);
  expect(await prisma.storedFile.count({ where: { recordingId: uid } })).toBe(1);

  await returnJobs(`worker of ${uid}`);
  await runJobs();
  expect(await prisma.recording.findUniqueOrThrow({ where: { uid } })).toMatchObject({
    status: "ready",
    messageCount: 200n,
  });
  const made = await prisma.storedFile.findFirstOrThrow({ where: { derivedFrom: file!.uid } });
  expect((await objectStore().head(made.storageKey))?.sizeBytes).toBe(content.length);
  expect(existsSync(folder)).toBe(false);
});
