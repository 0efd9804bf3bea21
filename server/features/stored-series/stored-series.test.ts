import { beforeAll, describe, expect, test } from "vitest";
import { makeCase } from "@/engine/testing/recording-cases";
import { writeMcap, type TestMessage } from "@/engine/testing/write-mcap";
import { processStoredRecording } from "@/server/features/processing/service";
import { deleteRecording, reprocessRecording } from "@/server/features/recordings/service";
import { toSeriesPrefix } from "@/server/features/stored-series/store-service";
import { getStorageUse } from "@/server/features/uploads/quota-service";
import { pool, prisma } from "@/server/platform/db";
import type { Env } from "@/server/platform/env";
import type { JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded } from "@/server/platform/jobs/queue";
import { logFor } from "@/server/platform/log";
import { beginBackup, endBackup } from "@/server/platform/storage/backup-lease";
import { objectStore } from "@/server/platform/storage/current";
import { deleteStoredKeys, deleteStoredObjects } from "@/server/platform/storage/jobs";
import { ownStore } from "@/server/platform/storage/own";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import {
  epoch,
  jsonRecording,
  processedRecording,
  runJobs,
  temperatures,
  uploadRecording,
} from "@/server/testing/processing";
import { jobIds, removeJobs, returnJobs, takeJob } from "@/server/testing/queued-jobs";
import { createTrpcCaller } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";

let org: TestOrganization;
let deviceId: string;
beforeAll(async () => {
  org = await makeOrganization();
  deviceId = (await makeDevice(org)).uid;
});

const ms = 1_000_000n;
/** More samples than the finest level resolves, so that a series is in two parts. */
const samples = 20_000;

async function longRecording(): Promise<Buffer> {
  const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  function* messages(): Generator<TestMessage> {
    for (let i = 0; i < samples; i++) {
      const time = epoch + BigInt(i) * ms;
      yield { topic: "/fast", time, data: encode({ value: Math.sin(i / 500), mode: i < 9_000 ? "idle" : "run" }) };
    }
  }
  return writeMcap([{ topic: "/fast", messageEncoding: "json" }], messages());
}

const shortRecording = () => jsonRecording({ "/motor/temp": temperatures([70, 90, 70, 91]) });
const count = (uid: string) => prisma.series.count({ where: { recordingId: uid } });
const findPack = (uid: string) => prisma.seriesPack.findUnique({ where: { recordingId: uid } });
const processedWith = (SERIES: Env["SERIES"], bytes: Buffer) =>
  underSettings({ SERIES }, () => processedRecording(org, deviceId, [bytes]));

/** The objects of a recording's series in the own store. */
async function listObjects(uid: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of ownStore().list()) if (key.startsWith(toSeriesPrefix(org.uid, uid))) keys.push(key);
  return keys;
}

/** All that pages and programs read of the series of a recording. */
async function readAll(uid: string): Promise<string> {
  const caller = createTrpcCaller(org);
  const recording = await caller.recordings.get({ uid });
  const [from, to] = [BigInt(recording.start_ns ?? 0), BigInt(recording.end_ns ?? 0)];
  const part = (to - from) / 10n;
  const read: unknown[] = [recording.topics];
  for (const { name, fields } of recording.topics) {
    for (const { path } of fields) {
      for (const [begin, end, points] of [
        [undefined, undefined, 20],
        [undefined, undefined, 1_000],
        [undefined, undefined, 5_000],
        [from, to, 100],
        [from + 3n * part, from + 4n * part, 50],
        [from - part, to + part, 1],
      ] as const) {
        const window = {
          ...(begin !== undefined && { from: String(begin) }),
          ...(end !== undefined && { to: String(end) }),
        };
        read.push(await caller.recordings.series({ uid, topic: name, field: path, points, ...window }));
      }
    }
  }
  const topics = recording.topics.map(({ name }) => name);
  if (topics.length > 0) read.push(await caller.recordings.densities({ uid, topics: topics.slice(0, 100) }));
  return JSON.stringify(read);
}

describe("the series of a recording", () => {
  test.each([
    ["long", longRecording],
    ["made up", async () => Buffer.from((await makeCase(8, 400)).files[0]!)],
  ])("read the same from the store, from rows beside it and from rows of before: %s", async (_, make) => {
    const bytes = await make();
    const uid = await processedWith("both", bytes);
    const stored = await readAll(uid);
    expect(await count(uid)).toBeGreaterThan(1);

    const pack = await prisma.seriesPack.delete({ where: { recordingId: uid } });
    expect(await readAll(uid)).toBe(stored);
    await prisma.seriesPack.create({ data: pack });
    await prisma.series.deleteMany({ where: { recordingId: uid } });
    expect(await readAll(uid)).toBe(stored);

    const alone = await processedWith("store", bytes);
    expect(await count(alone)).toBe(0);
    const { storageKey, sizeBytes, etag } = (await findPack(alone))!;
    expect(await objectStore().head(storageKey)).toMatchObject({ sizeBytes: Number(sizeBytes), etag });
    expect(await readAll(alone)).toBe(stored);
  });
});

/** Takes the recording's job as a worker does; the next call supersedes it. */
async function take(uid: string): Promise<JobRun> {
  const [id = ""] = await jobIds({ recordingId: uid });
  const attempt = await takeJob(id, `worker of ${uid}`);
  return { attempt, lastAttempt: false, signal: new AbortController().signal, log: logFor("worker") };
}
async function drop(uid: string): Promise<void> {
  await returnJobs(`worker of ${uid}`);
  await removeJobs(await jobIds({ recordingId: uid }));
}
const remove = () => runJobs([deleteStoredKeys, deleteStoredObjects]);

describe("the object of an attempt", () => {
  test("takes the place of those of earlier attempts and of earlier processing", async () => {
    const uid = await uploadRecording(org, deviceId, [await shortRecording()]);
    // The first was killed after it had stored its object.
    const first = await take(uid);
    const left = `${toSeriesPrefix(org.uid, uid)}${first.attempt.jobId}-${first.attempt.attempt}`;
    await objectStore().put(left, new Blob(["series"]).stream(), 6);
    const second = await take(uid);
    await processStoredRecording(org.uid, uid, second);
    await remove();
    expect(await listObjects(uid)).toEqual([(await findPack(uid))?.storageKey]);
    expect(await listObjects(uid)).not.toContain(left);
    await drop(uid);

    const before = await readAll(uid);
    await reprocessRecording(org.ctx, uid);
    expect(await readAll(uid)).toBe(before);
    await runJobs();
    await remove();
    expect(await listObjects(uid)).toEqual([(await findPack(uid))?.storageKey]);
    expect(await readAll(uid)).toBe(before);
  });

  test("is removed when another attempt took over, the processing fails or the recording is gone", async () => {
    const uid = await uploadRecording(org, deviceId, [await shortRecording()]);
    const paused = await take(uid);
    const other = await take(uid);
    await expect(processStoredRecording(org.uid, uid, paused)).rejects.toThrow(AttemptSuperseded);
    expect(await listObjects(uid)).toEqual([]);

    const left = `${toSeriesPrefix(org.uid, uid)}${paused.attempt.jobId}-1`;
    await objectStore().put(left, new Blob(["series"]).stream(), 6);
    await prisma.storedFile.updateMany({ where: { recordingId: uid }, data: { etag: `"${"0".repeat(32)}"` } });
    await processStoredRecording(org.uid, uid, { ...other, lastAttempt: true });
    expect(await prisma.recording.findUnique({ where: { uid } })).toMatchObject({ status: "error" });
    await remove();
    expect(await listObjects(uid)).toEqual([]);

    await objectStore().put(left, new Blob(["series"]).stream(), 6);
    await prisma.recording.delete({ where: { uid } });
    await processStoredRecording(org.uid, uid, other);
    await remove();
    expect(await listObjects(uid)).toEqual([]);
    await drop(uid);
  });

  test("stays while a backup may need it, although another attempt finds its recording deleted", async () => {
    const uid = await uploadRecording(org, deviceId, [await shortRecording()]);
    const first = await take(uid);
    await processStoredRecording(org.uid, uid, first);
    const [key] = await listObjects(uid);
    const client = await pool.connect();
    try {
      await beginBackup(client, "series", "full");
      await deleteRecording(org.ctx, uid);
      await processStoredRecording(org.uid, uid, await take(uid));
      await remove();
      expect(await listObjects(uid)).toEqual([key]);
      await endBackup(client, "series", true);
      await client.query(
        "select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs), run_at := now())",
      );
    } finally {
      client.release();
    }
    await remove();
    expect(await listObjects(uid)).toEqual([]);
    await drop(uid);
  });

  test("goes with its recording, also where the files are in a bucket", async () => {
    const [own, foreign] = [
      await processedWith("store", await shortRecording()),
      await processedWith("store", await shortRecording()),
    ];
    await prisma.uploadSession.update({
      where: { recordingId: foreign },
      data: { prefix: `bucket/none/recordings/${org.uid}/${foreign}/` },
    });
    for (const uid of [own, foreign]) {
      expect(await listObjects(uid)).toHaveLength(1);
      await deleteRecording(org.ctx, uid);
      await remove();
      expect(await listObjects(uid)).toEqual([]);
    }
  });

  test("counts as storage of the organization, once", async () => {
    const other = await makeOrganization();
    const device = await makeDevice(other);
    const uid = await processedRecording(other, device.uid, [await shortRecording()]);
    const { sizeBytes } = (await findPack(uid))!;
    const used = await getStorageUse(other.ctx, other.uid);
    await prisma.seriesPack.delete({ where: { recordingId: uid } });
    const without = await getStorageUse(other.ctx, other.uid);
    expect(used.recording_bytes - without.recording_bytes).toBe(Number(sizeBytes));
    expect(used.files - without.files).toBe(1);
  });
});

describe("series that cannot be read from the store", () => {
  test("are read from their rows, and where there are none they are not found", async () => {
    const uid = await processedWith("both", await shortRecording());
    const before = await readAll(uid);
    await objectStore().delete((await findPack(uid))!.storageKey);
    expect(await readAll(uid)).toBe(before);
    await prisma.series.deleteMany({ where: { recordingId: uid } });
    await expect(readAll(uid)).rejects.toThrow("Not found.");
  });

  test("are the rows of a version before that processed the recording again", async () => {
    const uid = await processedWith("both", await shortRecording());
    await prisma.series.updateMany({ where: { recordingId: uid, kind: "number" }, data: { unit: "K" } });
    const read = () =>
      createTrpcCaller(org).recordings.series({ uid, topic: "/motor/temp", field: "data.value", points: 10 });
    expect((await read()).unit).toBeUndefined();
    await prisma.recording.update({ where: { uid }, data: { processedAt: new Date(Date.now() + 60_000) } });
    expect((await read()).unit).toBe("K");
  });
});

describe("without a store that takes them", () => {
  test("series become rows, whatever the setting says", async () => {
    const uid = await uploadRecording(org, deviceId, [await shortRecording()]);
    const run = await take(uid);
    // A folder in the place of the object.
    const key = `${toSeriesPrefix(org.uid, uid)}${run.attempt.jobId}-${run.attempt.attempt}`;
    await objectStore().put(`${key}/x`, new Blob(["x"]).stream(), 1);
    await underSettings({ SERIES: "store" }, () => processStoredRecording(org.uid, uid, run));
    expect(await findPack(uid)).toBeNull();
    expect(await count(uid)).toBe(2);
    await drop(uid);
  });
});
