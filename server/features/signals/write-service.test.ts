import { readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { queryWithDuckDb } from "@/engine/testing/read-parquet";
import { writeMcap } from "@/engine/testing/write-mcap";
import { deleteRecording, reprocessRecording } from "@/server/features/recordings/service";
import { sweep, write } from "@/server/features/signals/jobs";
import { ProcessedSignals } from "@/server/features/signals/pass-service";
import { countBacklog } from "@/server/features/signals/queue-service";
import { writeSignals as attempt } from "@/server/features/signals/write-service";
import { getStorageUse } from "@/server/features/uploads/quota-service";
import { systemContext } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { jobs } from "@/server/platform/jobs/definitions";
import { AttemptSuperseded, ownsJob } from "@/server/platform/jobs/queue";
import { logFor } from "@/server/platform/log";
import { objectStore } from "@/server/platform/storage/current";
import { deleteStoredObjects } from "@/server/platform/storage/jobs";
import { removeStored } from "@/server/platform/storage/removal";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import {
  epoch,
  jsonRecording,
  processedRecording,
  processJobs,
  runJobs,
  temperatures,
  writeSignals,
} from "@/server/testing/processing";
import { exhaustJobs, queuedJobs, returnJobs, takeJob } from "@/server/testing/queued-jobs";

let organization: TestOrganization;
let deviceId: string;

beforeAll(async () => {
  organization = await makeOrganization();
  deviceId = (await makeDevice(organization)).uid;
});

const recording = async (values = [1, 2, 3]) =>
  jsonRecording({ "/motor/temp": temperatures(values), "/b": [[0, { on: true }]] });
const upload = async (values?: number[]) => processedRecording(organization, deviceId, [await recording(values)]);
/** A recording as an earlier version left it, whose signals wait for their job. */
const uploadBefore = async (): Promise<string> => {
  const uid = await upload();
  const { prefix } = await prisma.signalSet.delete({ where: { recordingId: uid } });
  await prisma.signalFile.deleteMany({ where: { recordingId: uid } });
  await removeStored(prefix);
  return uid;
};
const run = {
  attempt: { jobId: "0", attempt: 1 },
  lastAttempt: false,
  signal: new AbortController().signal,
  log: logFor("worker"),
};
const sweepOnce = () => sweep.run({}, run);
const listFiles = (recordingId: string) =>
  prisma.signalFile.findMany({ where: { recordingId }, orderBy: { topic: "asc" } });
const readObject = async (key: string): Promise<Uint8Array> => buffer(await objectStore().read(key));

describe("signals of a recording", () => {
  it("that are not written yet are counted with the bytes of their recording, until they are", async () => {
    const before = await countBacklog();
    const uid = await uploadBefore();
    const { sizeBytes } = await prisma.recording.findUniqueOrThrow({ where: { uid } });
    expect(await countBacklog()).toBe(before + Number(sizeBytes));
    await sweepOnce();
    await writeSignals(uid);
    expect(await countBacklog()).toBe(before);
  });

  it.each([
    ["while it is processed", upload],
    [
      "by a job where an earlier version left none",
      async () => {
        const uid = await uploadBefore();
        await sweepOnce();
        await writeSignals(uid);
        return uid;
      },
    ],
  ])("are written %s, a file for each topic beside its files", async (_when, make) => {
    const uid = await make();
    const files = await listFiles(uid);
    expect(files.map(({ topic, rowCount, storageKey, fields }) => ({ topic, rowCount, storageKey, fields }))).toEqual([
      {
        topic: "/b",
        rowCount: 1n,
        storageKey: `recordings/${organization.uid}/${uid}/signals/%2Fb.parquet`,
        fields: [{ path: "on", type: "bool" }],
      },
      {
        topic: "/motor/temp",
        rowCount: 3n,
        storageKey: `recordings/${organization.uid}/${uid}/signals/%2Fmotor%2Ftemp.parquet`,
        fields: [{ path: "data.value", type: "float64" }],
      },
    ]);
    const rows = await queryWithDuckDb(await readObject(files[1]!.storageKey), `select "data.value" as v from $file`);
    expect(rows.map(({ v }) => v)).toEqual([1, 2, 3]);
    const set = await prisma.signalSet.findUniqueOrThrow({ where: { recordingId: uid } });
    expect(set.files).toBe(2);
    expect(set.sizeBytes).toBe(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0n));
    const head = await objectStore().head(files[1]!.storageKey);
    expect(head).toMatchObject({ etag: files[1]!.etag, sizeBytes: Number(files[1]!.sizeBytes) });
    // Folders of queries have other names.
    const left = readdirSync(path.join(env.DATA_DIR, "signals")).filter((name) => /^\d+$/.test(name));
    expect(left).toEqual([]);
  });

  it("count as storage and go with the recording", async () => {
    const own = await makeOrganization();
    const device = await makeDevice(own);
    const bytes = await recording();
    const uid = await processedRecording(own, device.uid, [bytes]);
    const use = await getStorageUse(own.ctx, own.ctx.organizationId);
    const files = await listFiles(uid);
    const { sizeBytes: seriesBytes } = await prisma.seriesPack.findUniqueOrThrow({ where: { recordingId: uid } });
    const signalBytes = files.reduce((sum, each) => sum + Number(each.sizeBytes), 0);
    expect(use.recording_bytes).toBe(bytes.length + signalBytes + Number(seriesBytes));
    expect(use.files).toBe(1 + 2 + 1);
    await deleteRecording(own.ctx, uid);
    await runJobs([deleteStoredObjects]);
    for (const { storageKey } of files) expect(await objectStore().head(storageKey)).toBeNull();
    expect(await listFiles(uid)).toEqual([]);
    expect(await getStorageUse(own.ctx, own.ctx.organizationId)).toMatchObject({ recording_bytes: 0, files: 0 });
  });

  it("are written for recordings of an earlier version, once", async () => {
    const uid = await uploadBefore();
    await sweepOnce();
    await writeSignals(uid);
    const first = await prisma.signalSet.findUniqueOrThrow({ where: { recordingId: uid } });
    await sweepOnce();
    await runJobs([write]);
    expect(await prisma.signalSet.findUniqueOrThrow({ where: { recordingId: uid } })).toEqual(first);
    expect(await listFiles(uid)).toHaveLength(2);
  });

  it("are left by the sweep to a job that writes them, however long it takes, and not to one without attempts", async () => {
    const uid = await uploadBefore();
    await sweepOnce();
    const [job] = await queuedJobs(jobs.writeSignals, { recordingId: uid });
    const writing = await takeJob(job!.id, "writer");
    await sweepOnce();
    expect(await ownsJob({ db: prisma }, writing)).toBe(true);
    expect(await queuedJobs(jobs.writeSignals, { recordingId: uid })).toEqual([]);
    await returnJobs("writer");
    await exhaustJobs([job!.id]);
    await sweepOnce();
    await writeSignals(uid);
    expect(await listFiles(uid)).toHaveLength(2);
  });

  it("are written again when the recording is processed again", async () => {
    const uid = await upload();
    const before = await prisma.signalSet.findUniqueOrThrow({ where: { recordingId: uid } });
    await reprocessRecording(organization.ctx, uid);
    let after = before;
    while (after.writtenAt <= before.writtenAt) {
      await runJobs(processJobs);
      after = await prisma.signalSet.findUniqueOrThrow({ where: { recordingId: uid } });
    }
    expect(after.sizeBytes).toBe(before.sizeBytes);
  });

  it("a worker whose job was taken over writes no rows", async () => {
    const uid = await uploadBefore();
    const { prefix } = await prisma.uploadSession.findUniqueOrThrow({ where: { recordingId: uid } });
    const payload = { organizationId: organization.ctx.organizationId, recordingId: uid, prefix };
    await expect(attempt(payload, { ...run, lastAttempt: true })).rejects.toThrow(AttemptSuperseded);
    expect(await listFiles(uid)).toEqual([]);
    await sweepOnce();
    await writeSignals(uid);
    expect(await listFiles(uid)).toHaveLength(2);
  });

  it("are left to a job where the recording would wait for them", async () => {
    // Columns hold doubles, which are not exact for so large a number.
    const messages = Array.from({ length: 11_500 }, (_, i) => {
      const data = Buffer.alloc(12);
      data[1] = 1;
      data.writeBigUInt64LE(2n ** 64n - 1n, 4);
      return { topic: "/count", time: epoch + BigInt(i) * 1_000_000n, data };
    });
    const encoding = { messageEncoding: "cdr", schemaEncoding: "ros2msg", schemaName: "p/msg/Count" };
    const file = await writeMcap([{ topic: "/count", ...encoding, schema: "uint64 count\n" }], messages);
    const uid = await processedRecording(organization, deviceId, [file]);
    expect(await prisma.recording.findUniqueOrThrow({ where: { uid } })).toMatchObject({ status: "ready" });
    expect(await listFiles(uid)).toEqual([]);
    await writeSignals(uid);
    expect(await listFiles(uid)).toMatchObject([{ topic: "/count", rowCount: 11_500n }]);
  });

  it("are left to a job where the disk takes none", async () => {
    const uid = await upload();
    const pack = async (jobId: string, during: (folder: string) => void) => {
      const signals = await ProcessedSignals.create(systemContext(prisma, organization.uid), uid, {
        ...run,
        attempt: { jobId, attempt: 1 },
      });
      const writer = signals?.begin();
      during(path.join(env.DATA_DIR, "signals", jobId));
      writer?.topic("/a").take(new BigInt64Array([1n]), 1, []);
      const stored = await signals?.store(writer?.finish() ?? null);
      await signals?.remove();
      return stored;
    };
    const jobId = `test-${uid}`;
    await expect(pack(jobId, () => {})).resolves.toMatchObject({ files: [{ topic: "/a", rows: 1 }] });
    await expect(pack(jobId, (folder) => rmSync(folder, { recursive: true }))).resolves.toBeNull();
    const blocked = path.join(env.DATA_DIR, "signals", jobId);
    writeFileSync(blocked, "");
    await expect(pack(`${jobId}/below`, () => {})).resolves.toBeUndefined();
    rmSync(blocked);
  });

  it("of a recording that was deleted before, nothing is left", async () => {
    const uid = await uploadBefore();
    await sweepOnce();
    const { prefix } = await prisma.uploadSession.findUniqueOrThrow({ where: { recordingId: uid } });
    const key = `${prefix}signals/%2Fleft.parquet`;
    await objectStore().put(key, new Blob(["left by a killed attempt"]).stream(), 24);
    await prisma.recording.delete({ where: { uid } });
    while ((await objectStore().head(key)) !== null) await runJobs([write]);
    expect(await prisma.signalSet.count({ where: { recordingId: uid } })).toBe(0);
  });
});
