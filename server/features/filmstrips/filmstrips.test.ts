import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { readClip } from "@/engine/testing/clips";
import { videoRecording, videoTime } from "@/engine/testing/video-recording";
import type { TestChannel, TestMessage } from "@/engine/testing/write-mcap";
import { make } from "@/server/features/filmstrips/jobs";
import { makeFilmstrip } from "@/server/features/filmstrips/make-service";
import { listMoments } from "@/server/features/filmstrips/reading";
import type { Filmstrip } from "@/server/features/filmstrips/resource";
import { deleteRecording, reprocessRecording } from "@/server/features/recordings/service";
import { getStorageUse } from "@/server/features/uploads/quota-service";
import { pool, prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { jobs } from "@/server/platform/jobs/definitions";
import { ownsJob } from "@/server/platform/jobs/queue";
import { logFor } from "@/server/platform/log";
import { beginBackup, endAllLeases } from "@/server/platform/storage/backup-lease";
import { objectStore } from "@/server/platform/storage/current";
import { deleteStoredKeys, deleteStoredObjects } from "@/server/platform/storage/jobs";
import { namedFiles, unnamedKeys } from "@/server/platform/storage/named-files";
import { makeDevice, makeOrganization, sessionCookie, type TestOrganization } from "@/server/testing/factories";
import { epoch, jsonRecording, processedRecording, runJobs } from "@/server/testing/processing";
import { queuedJobs, returnJobs, takeJob } from "@/server/testing/queued-jobs";
import { createTrpcCaller, fetchApp } from "@/server/testing/requests";

let org: TestOrganization;
let other: TestOrganization;
let deviceId: string;
beforeAll(async () => {
  [org, other] = [await makeOrganization(), await makeOrganization()];
  deviceId = (await makeDevice(org)).uid;
});

const pictures = 150;
const greyAt = (n: number): number => Math.floor((n * 250) / pictures);

/** A quarter of a minute of a camera at 10 Hz, each picture a little lighter, and one that is broken. */
function cameraRecording(): Promise<Buffer> {
  const channels = ["/front", "/broken"].map((topic): TestChannel => ({
    topic,
    messageEncoding: "json",
    schemaName: "foxglove.RawImage",
    schemaEncoding: "jsonschema",
    schema: "{}",
  }));
  const messages: TestMessage[] = [];
  for (let n = 0; n < pictures; n++) {
    const data = Buffer.alloc(104 * 78, greyAt(n)).toString("base64");
    const picture = { width: 104, height: 78, encoding: "mono8", step: 104, data };
    const time = epoch + BigInt(n) * 100_000_000n;
    messages.push({ topic: "/front", time, data: Buffer.from(JSON.stringify(picture)) });
    messages.push({ topic: "/broken", time, data: Buffer.from(JSON.stringify({ ...picture, height: 1_000 })) });
  }
  return jsonRecording({ "/motor": [[0, { value: 1 }]] }, { more: { channels, messages } });
}

const openStrip = (uid: string, by = org) => createTrpcCaller(by).recordings.filmstrip({ uid });

/** Small pictures of a recording, once they are made. */
async function madeStrip(uid: string): Promise<Filmstrip> {
  // Jobs of one queue run one after another, so that this one may have to wait for another test's.
  for (;;) {
    await runJobs([make]);
    const strip = await openStrip(uid);
    if (strip) return strip;
  }
}

const getPart = (uid: string, { version }: Filmstrip, part: string, cookie?: string) =>
  fetchApp(`/media/filmstrips/${uid}/${version}/${part}`, { headers: cookie ? { cookie } : {} });

describe("small pictures of cameras", () => {
  let uid: string;
  let strip: Filmstrip;
  beforeAll(async () => {
    uid = await processedRecording(org, deviceId, [await cameraRecording()]);
    expect(await openStrip(uid)).toBeNull();
    // Nor does opening the page again and again take the place of a job that makes them.
    const [job] = await queuedJobs(jobs.makeFilmstrip, { recordingId: uid });
    const making = await takeJob(job!.id, "maker");
    expect(await openStrip(uid)).toBeNull();
    expect(await ownsJob({ db: prisma }, making)).toBe(true);
    await returnJobs("maker");
    strip = await madeStrip(uid);
  });

  test("are at most 120 of each camera that can be shown, evenly in time, at the times of their messages", () => {
    const [camera, ...more] = strip.cameras;
    expect([camera!.topic, more]).toEqual(["/front", []]);
    const times = camera!.frames.map(({ time_ns }) => Number((BigInt(time_ns) - epoch) / 1_000_000n));
    expect(times).toHaveLength(120);
    const apart = times.slice(1).map((time, n) => time - times[n]!);
    expect([Math.min(...apart), Math.max(...apart)]).toEqual([100, 200]);
    expect(times.every((time) => time % 100 === 0)).toBe(true);
  });

  test("are named for backups and moves", async () => {
    const { storageKey, sizeBytes } = await prisma.filmstrip.findUniqueOrThrow({ where: { recordingId: uid } });
    const client = await pool.connect();
    try {
      await client.query("begin");
      const named = new Map<string, string | number | null>();
      for await (const { key, size_bytes: size } of namedFiles(client)) named.set(key, size);
      expect(named.get(storageKey!)).toBe(Number(sizeBytes));
      expect(await unnamedKeys(client, [storageKey!])).toEqual([]);
    } finally {
      await client.query("rollback");
      client.release();
    }
    expect(await objectStore().head(storageKey!)).toMatchObject({ sizeBytes: Number(sizeBytes) });
  });

  test("are JPEGs of 96 pixels below four kilobytes, one address for neighbours", async () => {
    const { frames } = strip.cameras[0]!;
    const cookie = await sessionCookie(org.owner, { slug: org.slug });
    for (const at of [0, 60, 119]) {
      const { offset, length, time_ns } = frames[at]!;
      const response = await getPart(uid, strip, `${offset}-${length}`, cookie);
      expect([response.status, response.headers.get("cache-control")]).toEqual([
        200,
        "private, max-age=86400, immutable",
      ]);
      const { data, info } = await sharp(await response.arrayBuffer())
        .greyscale()
        .raw()
        .toBuffer({ resolveWithObject: true });
      expect([info.width, info.height, length < 4_096]).toEqual([96, 72, true]);
      const number = Number((BigInt(time_ns) - epoch) / 100_000_000n);
      expect(Math.abs(data[0]! - greyAt(number))).toBeLessThan(4);
    }
  });

  test("are for people of the organization alone", async () => {
    expect((await getPart(uid, strip, "0-10")).status).toBe(401);
    expect((await getPart(uid, strip, "0-10", await sessionCookie(other.owner, { slug: other.slug }))).status).toBe(
      404,
    );
    await expect(openStrip(uid, other)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const cookie = await sessionCookie(org.owner, { slug: org.slug });
    expect((await getPart(uid, { ...strip, version: "earlier" }, "0-10", cookie)).status).toBe(409);
  });

  test("are counted as storage of the organization", async () => {
    const before = await getStorageUse({ db: prisma }, org.uid);
    const { sizeBytes } = await prisma.filmstrip.findUniqueOrThrow({ where: { recordingId: uid } });
    await prisma.filmstrip.update({ where: { recordingId: uid }, data: { sizeBytes: sizeBytes + 1_000n } });
    const after = await getStorageUse({ db: prisma }, org.uid);
    expect(after.total_bytes - before.total_bytes).toBe(1_000);
    await prisma.filmstrip.update({ where: { recordingId: uid }, data: { sizeBytes } });
  });
});

/** The names of stored objects below a prefix. */
const storedUnder = (prefix: string): string[] => {
  const folder = path.join(env.DATA_DIR, "files", prefix);
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
};

test("are made again with the recording, and nothing of them is left when it is deleted", async () => {
  const uid = await processedRecording(org, deviceId, [await cameraRecording()]);
  const first = await madeStrip(uid);
  const prefix = `filmstrips/${org.uid}/${uid}/`;
  await reprocessRecording(org.ctx, uid);
  await runJobs();
  let strip = first;
  while (strip.version === first.version) strip = await madeStrip(uid);
  await runJobs([deleteStoredKeys]);
  expect(storedUnder(prefix)).toEqual([expect.stringContaining(strip.version)]);
  await deleteRecording(org.ctx, uid);
  await runJobs([deleteStoredObjects]);
  expect(storedUnder(prefix)).toEqual([]);
});

test("are made by another attempt when the one before was killed", async () => {
  const uid = await processedRecording(org, deviceId, [await cameraRecording()]);
  await runJobs([make]);
  await prisma.filmstrip.deleteMany({ where: { recordingId: uid } });
  const killed = AbortSignal.abort(new Error("killed"));
  const run = { attempt: { jobId: "1", attempt: 1 }, lastAttempt: false, signal: killed, log: logFor("test") };
  await expect(makeFilmstrip({ organizationId: org.uid, recordingId: uid }, run)).rejects.toThrow("killed");
  // Opening a recording without them, as one of an earlier version, queues them.
  expect((await madeStrip(uid)).cameras[0]?.frames).toHaveLength(120);
  expect(storedUnder(`filmstrips/${org.uid}/${uid}/`)).toHaveLength(1);
});

test("are made while a backup keeps files from being removed", async () => {
  const client = await pool.connect();
  await beginBackup(client, "filmstrips", "full");
  try {
    const uid = await processedRecording(org, deviceId, [await cameraRecording()]);
    const first = await madeStrip(uid);
    const stored = () => storedUnder(`filmstrips/${org.uid}/${uid}/`);
    expect(stored()).toHaveLength(1);
    // Made anew meanwhile, what they were before stays until the backup is done.
    await reprocessRecording(org.ctx, uid);
    await runJobs();
    let strip = first;
    while (strip.version === first.version) strip = await madeStrip(uid);
    expect(stored()).toHaveLength(2);
    await endAllLeases(client);
    await runJobs([deleteStoredKeys]);
    expect(stored()).toHaveLength(1);
  } finally {
    await endAllLeases(client);
    client.release();
  }
});

describe("of video", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "film-"));
  const before = process.env.PATH;
  afterEach(() => void (process.env.PATH = before));
  afterAll(() => fs.rmSync(folder, { recursive: true }));
  const processVideo = async () =>
    processedRecording(org, deviceId, [await videoRecording([{ topic: "/front", clip: "h264", form: "ros2" }])]);

  test("are its keyframes, decoded by ffmpeg", async () => {
    // In place of ffmpeg: its picture is what it receives.
    fs.writeFileSync(path.join(folder, "ffmpeg"), "#!/bin/sh\nexec /bin/cat\n", { mode: 0o755 });
    process.env.PATH = folder;
    const { cameras } = await madeStrip(await processVideo());
    const [camera] = cameras;
    const units = readClip("h264");
    const keys = units.flatMap((unit, n) => (n % 15 === 0 ? [[String(videoTime(n)), unit.length] as const] : []));
    expect(camera?.frames.map(({ time_ns, length }) => [time_ns, length])).toEqual(keys);
  });

  test("are left out without ffmpeg, which is said", async () => {
    process.env.PATH = "/nowhere";
    const strip = await madeStrip(await processVideo());
    const reason = "The server has no ffmpeg.";
    expect(strip).toEqual({ version: "", cameras: [{ topic: "/front", frames: [], reason }] });
  });
});

test("of a recording without cameras are not queued", async () => {
  const uid = await processedRecording(org, deviceId, [await jsonRecording({ "/motor": [[0, { value: 1 }]] })]);
  await runJobs([make]);
  expect(await openStrip(uid)).toBeNull();
  expect(await prisma.filmstrip.count({ where: { recordingId: uid } })).toBe(0);
});

test("moments are spread over the recording however few of them are read", () => {
  const moments = listMoments({ start: 0n, end: 1_200n });
  expect(new Set(moments).size).toBe(120);
  const first = moments
    .slice(0, 8)
    .map(Number)
    .sort((a, b) => a - b);
  const apart = first.slice(1).map((at, n) => at - first[n]!);
  expect(Math.max(...apart)).toBeLessThan(200);
});
