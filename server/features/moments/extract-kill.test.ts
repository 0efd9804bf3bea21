import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { TestChannel, TestMessage } from "@/engine/testing/write-mcap";
import * as datasetJobs from "@/server/features/datasets/jobs";
import { extract } from "@/server/features/moments/jobs";
import { pool, prisma } from "@/server/platform/db";
import { releaseAllJobs } from "@/server/platform/jobs/graphile";
import { bundleProgram, killNow, startProgram } from "@/server/testing/child-program";
import { makeDataset } from "@/server/testing/datasets";
import { createTrpcCaller, makeDevice, makeOrganization } from "@/server/testing/factories";
import { epoch, jsonRecording, processedRecording, runJobs } from "@/server/testing/processing";

const total = 400;
const side = 64;

let program: Awaited<ReturnType<typeof bundleProgram>>;
beforeAll(async () => {
  program = await bundleProgram("moments-process");
});
afterAll(() => program.remove());

/** Pictures of noise, which take a while to compress. */
function cameraRecording(): Promise<Buffer> {
  const channel: TestChannel = {
    topic: "/camera",
    messageEncoding: "json",
    schemaName: "foxglove.RawImage",
    schemaEncoding: "jsonschema",
    schema: "{}",
  };
  const messages = Array.from({ length: total }, (_, n): TestMessage => {
    const data = randomBytes(side * side).toString("base64");
    const picture = { width: side, height: side, encoding: "mono8", step: side, data };
    return { topic: "/camera", time: epoch + BigInt(n) * 50_000_000n, data: Buffer.from(JSON.stringify(picture)) };
  });
  return jsonRecording({ "/motor": [[0, { value: 1 }]] }, { more: { channels: [channel], messages } });
}

test("an extraction whose worker is killed with SIGKILL goes on in the next one, and makes each item once", async () => {
  const org = await makeOrganization();
  const recording = await processedRecording(org, (await makeDevice(org)).uid, [await cameraRecording()]);
  const dataset = await makeDataset(org);
  const { moments } = createTrpcCaller(org);
  const range = { from: String(epoch), to: String(epoch + 60_000_000_000n) };
  const added = await moments.add({ dataset: dataset.uid, recording_id: recording, topics: ["/camera"], ...range });
  expect(added.planned).toBe(total);
  const uid = added.moment_uid ?? "";

  const [worker] = await startProgram(program.file, { ROLE: "worker" });
  try {
    await vi.waitFor(async () => expect((await moments.get({ uid })).added).toBeGreaterThan(0), {
      timeout: 30_000,
      interval: 5,
    });
  } finally {
    await killNow(worker);
  }
  const halfway = await moments.get({ uid });
  expect(halfway.status).toBe("extracting");
  expect(halfway.added).toBeLessThan(total);
  expect(await prisma.item.count({ where: { datasetId: dataset.uid } })).toBe(halfway.added);

  // As workers do with the jobs of one whose heartbeats ended.
  await releaseAllJobs(pool);
  await runJobs([extract, datasetJobs.examine]);
  const items = await prisma.item.findMany({ where: { datasetId: dataset.uid } });
  expect(new Set(items.map(({ key }) => key)).size).toBe(total);
  expect(items).toHaveLength(total);
  expect(items.every(({ status }) => status === "unattempted")).toBe(true);
  expect(await moments.get({ uid })).toMatchObject({ status: "done", added: total, failed: 0 });
  const { itemCount, sizeBytes } = await prisma.dataset.findUniqueOrThrow({ where: { uid: dataset.uid } });
  expect(itemCount).toBe(total);
  expect(sizeBytes).toBe(items.reduce((sum, item) => sum + item.sizeBytes, 0n));
}, 120_000);
