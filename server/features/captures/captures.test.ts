import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { readClip } from "@/engine/testing/clips";
import type { TestChannel, TestMessage } from "@/engine/testing/write-mcap";
import { make } from "@/server/features/captures/jobs";
import type { Capture } from "@/server/features/captures/resource";
import { toPictureKey } from "@/server/features/captures/service";
import { sweepCaptures } from "@/server/features/captures/sweep-service";
import { deleteRecording, updateRecording } from "@/server/features/recordings/service";
import { pool, prisma } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { beginBackup, endAllLeases } from "@/server/platform/storage/backup-lease";
import { objectStore } from "@/server/platform/storage/current";
import { namedFiles, unnamedKeys } from "@/server/platform/storage/named-files";
import { newUid } from "@/server/platform/uid";
import { makeDevice, makeOrganization, sessionCookie, type TestOrganization } from "@/server/testing/factories";
import { epoch, jsonRecording, processedRecording, runJobs } from "@/server/testing/processing";
import { createTrpcCaller, request, fetchApp } from "@/server/testing/requests";

let org: TestOrganization;
let other: TestOrganization;
let deviceId: string;
const hour = 3_600_000;
const ms = 1_000_000n;

beforeAll(async () => {
  [org, other] = [await makeOrganization(), await makeOrganization()];
  deviceId = (await makeDevice(org)).uid;
  const condition = { type: "threshold", topic: "/arm/motor", field: "value", operator: "gt", value: 80 };
  const body = { name: "Motor too hot", condition, actions: [{ type: "flag_for_review" }] };
  await request("POST", "/fleet/rules/", { key: org.key, body });
});

const channel = (topic: string, schemaName: string): TestChannel => ({
  topic,
  messageEncoding: "json",
  schemaName,
  schemaEncoding: "jsonschema",
  schema: "{}",
});
const greyAt = (n: number): number => n * 4;

/** Six seconds of two cameras at 10 Hz, a log at 2 Hz and a receiver; the motor is too hot at 3.05 s. */
function robotRecording(): Promise<Buffer> {
  const channels = [
    channel("/base/camera", "foxglove.RawImage"),
    channel("/arm/camera", "foxglove.RawImage"),
    channel("/base/broken", "foxglove.RawImage"),
    channel("/rosout", "rcl_interfaces/msg/Log"),
    channel("/fix", "sensor_msgs/msg/NavSatFix"),
    channel("/diagnostics", "diagnostic_msgs/msg/DiagnosticArray"),
  ];
  const messages: TestMessage[] = [];
  const add = (topic: string, at: number, value: object) =>
    messages.push({ topic, time: epoch + BigInt(at) * ms, data: Buffer.from(JSON.stringify(value)) });
  for (let n = 0; n < 60; n++) {
    const data = Buffer.alloc(8 * 6, greyAt(n)).toString("base64");
    const picture = { width: 8, height: 6, encoding: "mono8", step: 8, data };
    for (const topic of ["/base/camera", "/arm/camera"]) add(topic, n * 100, picture);
    add("/base/broken", n * 100, { ...picture, height: 100 });
    const level = n < 30 ? 0 : 2;
    if (n % 10 === 0)
      add("/diagnostics", n * 100 + 2, { status: [{ name: "arm", level, message: "hot", values: [] }] });
    if (n % 5 === 0)
      add("/rosout", n * 100 + 1, { level: n === 10 || n === 55 ? 40 : 20, name: "arm", msg: `step ${n}` });
    add("/fix", n * 100, { status: { status: 0 }, latitude: 47 + n / 1_000, longitude: 8.5, altitude: 400 });
  }
  const motor: [number, unknown][] = [
    [0, { value: 20 }],
    [3.05, { value: 90 }],
  ];
  return jsonRecording({ "/arm/motor": motor }, { more: { channels, messages } });
}

async function raise(): Promise<{ recordingId: string; alertId: string }> {
  const recordingId = await processedRecording(org, deviceId, [await robotRecording()]);
  const { uid: alertId } = await prisma.alert.findFirstOrThrow({ where: { recordingId } });
  return { recordingId, alertId };
}
const getCapture = (uid: string, by = org) => createTrpcCaller(by).alerts.capture({ uid });
const getPicture = async (capture: Capture, index: number, cookie?: string) =>
  fetchApp(`/media/alerts/${capture.uid}/${index}`, { headers: cookie ? { cookie } : {} });

describe("the moment of an alert", () => {
  let alert: { recordingId: string; alertId: string };
  let capture: Capture;

  beforeAll(async () => {
    alert = await raise();
    expect(await getCapture(alert.alertId)).toBeNull();
    await runJobs([make]);
    capture = (await getCapture(alert.alertId))!;
  });

  test("is named with its pictures for backups and moves; those of one in the making are nobody's rest", async () => {
    const { uid, pictures } = await prisma.alertCapture.findFirstOrThrow({ where: { alertId: alert.alertId } });
    const keys = capture.pictures.map((_, index) => toPictureKey({ organizationId: org.uid, uid }, index));
    const unfinished = { uid: newUid("alert"), organizationId: org.uid, recordingId: alert.recordingId };
    const columns = { triggeredNs: epoch, pictures: pictures as object[], expiresAt: new Date(Date.UTC(2100, 0)) };
    await prisma.alertCapture.create({ data: { ...unfinished, ...columns } });
    const open = toPictureKey(unfinished, 0);
    const client = await pool.connect();
    try {
      await client.query("begin");
      const named = new Map<string, string | number | null>();
      for await (const { key, size_bytes: size } of namedFiles(client)) named.set(key, size);
      expect(keys.map((key) => named.get(key))).toEqual(capture.pictures.map((picture) => picture.size_bytes));
      expect(named.has(open)).toBe(false);
      expect(await unnamedKeys(client, [...keys, open, `${open}0`])).toEqual([`${open}0`]);
      for (const key of keys) expect(await objectStore().head(key)).toMatchObject({ sizeBytes: named.get(key) });
    } finally {
      await client.query("rollback");
      client.release();
      await prisma.alertCapture.delete({ where: { uid: unfinished.uid } });
    }
  });

  test("has the pictures of each camera around it, first of what the rule looked at", () => {
    const shown = capture.pictures.map(({ topic, wanted_ms: wanted, offset_ns: offset }) => [topic, wanted, offset]);
    expect(shown).toEqual(
      [
        [0, -50],
        [-2_000, -2_050],
        [-1_000, -1_050],
        [1_000, 950],
      ].flatMap(([wanted, offset]) =>
        ["/arm/camera", "/base/camera"].map((topic) => [topic, wanted, String(BigInt(offset!) * ms)]),
      ),
    );
    expect(capture.triggered_ns).toBe(String(epoch + 3_050n * ms));
  });

  test("is shown to its organization only", async () => {
    const cookie = await sessionCookie(org.owner, { slug: org.slug });
    const [response, last] = [await getPicture(capture, 0, cookie), await getPicture(capture, 7, cookie)];
    expect(response.headers.get("content-type")).toBe("image/jpeg");
    expect(response.headers.get("cache-control")).toContain("immutable");
    for (const [each, n] of [[response, 30] as const, [last, 40] as const]) {
      const { data, info } = await sharp(await each.arrayBuffer())
        .raw()
        .toBuffer({ resolveWithObject: true });
      expect([info.width, info.height]).toEqual([8, 6]);
      expect(Math.abs(data[0]! - greyAt(n))).toBeLessThan(3);
    }
    expect((await getPicture(capture, 8, cookie)).status).toBe(404);
    expect((await getPicture(capture, 0)).status).toBe(401);
    const foreign = await sessionCookie(other.owner, { slug: other.slug });
    expect((await getPicture(capture, 0, foreign)).status).toBe(404);
    expect(await getCapture(alert.alertId, other)).toBeNull();
  });

  test("has five lines of the log on each side, the serious ones first, and the place", () => {
    expect(capture.lines.map(({ text, level }) => `${level} ${text}`)).toEqual([
      "error step 10",
      "info step 15",
      "info step 20",
      "info step 25",
      "info step 30",
      "info step 35",
      "info step 40",
      "info step 45",
      "info step 50",
      "error step 55",
    ]);
    expect(capture.errors.map(({ text }) => text)).toEqual(["step 10", "step 55"]);
    expect(capture.diagnostics).toEqual([
      {
        time_ns: String(epoch + 3_002n * ms),
        topic: "/diagnostics",
        name: "arm",
        before: "ok",
        level: "error",
        text: "hot",
      },
    ]);
    expect(capture.position).toBeNull();
    expect(capture.fix).toEqual({
      topic: "/fix",
      offset_ns: String(-50n * ms),
      latitude: 47.03,
      longitude: 8.5,
      altitude: 400,
    });
    expect(capture.notes).toEqual(["/base/broken: The message says 8 × 100 mono8 (800 bytes) but carries 48."]);
  });

  test("is kept once, and made again where another moment triggered", async () => {
    const run = () =>
      make.run(
        { organizationId: org.uid, alertId: alert.alertId },
        {
          attempt: { jobId: "0", attempt: 1 },
          lastAttempt: true,
          signal: new AbortController().signal,
          log: logFor("worker"),
        },
      );
    await run();
    expect((await getCapture(alert.alertId))?.uid).toBe(capture.uid);
    await prisma.alert.update({ where: { uid: alert.alertId }, data: { triggeredNs: epoch + 4_000n * ms } });
    // A job that is not this worker's any more changes nothing.
    await expect(run()).rejects.toThrow("superseded");
    expect((await getCapture(alert.alertId))?.uid).toBe(capture.uid);
    await prisma.alert.update({ where: { uid: alert.alertId }, data: { triggeredNs: epoch + 3_050n * ms } });
  });

  test("goes with the recording when that is deleted", async () => {
    const key = toPictureKey({ organizationId: org.uid, uid: capture.uid }, 0);
    expect(await objectStore().head(key)).not.toBeNull();
    await deleteRecording(org.ctx, alert.recordingId);
    expect(await getCapture(alert.alertId)).toBeNull();
    const cookie = await sessionCookie(org.owner, { slug: org.slug });
    expect((await getPicture(capture, 0, cookie)).status).toBe(404);
    await sweepCaptures();
    expect(await prisma.alertCapture.count({ where: { uid: capture.uid } })).toBe(1);
    await sweepCaptures(new Date(Date.now() + 2 * hour));
    expect(await prisma.alertCapture.count({ where: { uid: capture.uid } })).toBe(0);
    expect(await objectStore().head(key)).toBeNull();
  });
});

test("what is kept outlives archiving the recording and its days", async () => {
  const { alertId, recordingId } = await raise();
  await runJobs([make]);
  const { uid } = (await getCapture(alertId))!;
  await updateRecording(org.ctx, recordingId, { status: "archived" });
  expect(await getCapture(alertId)).toMatchObject({ uid });
  await deleteRecording(org.ctx, recordingId, { keepCaptures: true });
  expect((await getCapture(alertId))?.pictures).toHaveLength(8);
  await sweepCaptures(new Date(Date.now() + 2 * hour));
  const cookie = await sessionCookie(org.owner, { slug: org.slug });
  expect((await getPicture((await getCapture(alertId))!, 0, cookie)).status).toBe(200);
});

test("log lines and the place are kept where pictures are too large for all to be read", async () => {
  const channels = [
    channel("/camera", "sensor_msgs/msg/CompressedImage"),
    channel("/rosout", "rcl_interfaces/msg/Log"),
    channel("/odom", "nav_msgs/msg/Odometry"),
  ];
  const messages: TestMessage[] = [];
  const add = (topic: string, at: number, data: Buffer) =>
    messages.push({ topic, time: epoch + BigInt(at) * ms, data });
  const noise = randomBytes(3_000_000).toString("base64");
  for (let n = 0; n < 24; n++) {
    add("/camera", n * 500, Buffer.from(JSON.stringify({ format: "jpeg", data: noise })));
    add("/rosout", n * 500 + 1, Buffer.from(JSON.stringify({ level: 20, name: "base", msg: `step ${n}` })));
    const pose = { pose: { position: { x: n, y: 0.5, z: 0 } } };
    add("/odom", n * 500 + 2, Buffer.from(JSON.stringify({ header: { frame_id: "odom" }, pose })));
  }
  const motor = [[6.05, { value: 90 }] as const];
  const file = await jsonRecording({ "/arm/motor": motor }, { more: { channels, messages }, chunkBytes: 8_000_000 });
  const recordingId = await processedRecording(org, deviceId, [file]);
  const { uid } = await prisma.alert.findFirstOrThrow({ where: { recordingId } });
  await runJobs([make]);
  const capture = await getCapture(uid);
  expect(capture?.pictures).toEqual([]);
  expect(capture?.lines.map(({ text }) => text)).toEqual(expect.arrayContaining(["step 11", "step 12", "step 13"]));
  expect(capture?.fix).toBeNull();
  expect(capture?.position).toEqual({
    topic: "/odom",
    offset_ns: String(-48n * ms),
    frame: "odom",
    x: 12,
    y: 0.5,
    z: 0,
  });
  expect(capture?.notes.find((note) => note.startsWith("The log was read from "))).toBeDefined();
});

test("what is kept goes with the alert, and after its days", async () => {
  const [first, second] = [await raise(), await raise()];
  await runJobs([make]);
  const keys = await Promise.all(
    [first, second].map(async ({ alertId }) =>
      toPictureKey({ organizationId: org.uid, uid: (await getCapture(alertId))!.uid }, 0),
    ),
  );
  await prisma.alert.delete({ where: { uid: first.alertId } });
  await prisma.alertCapture.update({ where: { alertId: second.alertId }, data: { expiresAt: new Date(0) } });
  const client = await pool.connect();
  await beginBackup(client, "captures", "full");
  try {
    expect(await sweepCaptures(new Date(Date.now() + 2 * hour))).toBe(0);
    for (const key of keys) expect(await objectStore().head(key)).not.toBeNull();
  } finally {
    await endAllLeases(client);
    client.release();
  }
  await sweepCaptures(new Date(Date.now() + 2 * hour));
  for (const key of keys) expect(await objectStore().head(key)).toBeNull();
  expect(await getCapture(second.alertId)).toBeNull();
});

test("of a rule that triggers all the time on a device one picture is kept", async () => {
  const { alertId } = await raise();
  const { ruleId } = await prisma.alert.findUniqueOrThrow({ where: { uid: alertId } });
  for (let n = 0; n < 20; n++) {
    const uid = newUid("alert");
    const shared = { organizationId: org.uid, triggeredNs: epoch };
    await prisma.alert.create({
      data: {
        ...shared,
        uid,
        ruleId,
        ruleName: "Motor too hot",
        ruleVersion: 1,
        deviceId,
        deviceName: "",
        severity: "warning",
        message: "",
        dedupeKey: uid,
        triggeredAt: new Date(),
      },
    });
    const expiresAt = new Date(Date.now() + hour);
    await prisma.alertCapture.create({
      data: { ...shared, uid: newUid("alert"), alertId: uid, recordingId: "", expiresAt },
    });
  }
  await runJobs([make]);
  const capture = await getCapture(alertId);
  expect(capture?.pictures.map(({ topic, wanted_ms: wanted }) => [topic, wanted])).toEqual([["/arm/camera", 0]]);
  expect(capture?.notes).toContain("Only one picture was kept: this rule triggers very often on this device.");
});

describe("a camera of video", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "captures-"));
  const before = process.env.PATH;
  afterEach(() => void (process.env.PATH = before));
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  async function capture(PATH: string): Promise<Capture> {
    process.env.PATH = PATH;
    const messages = readClip("h264").map((data, n) => ({
      topic: "/arm/video",
      time: epoch + BigInt(n) * 100n * ms,
      data: Buffer.from(JSON.stringify({ format: "h264", data: Buffer.from(data).toString("base64") })),
    }));
    const motor: [number, unknown][] = [
      [0, { value: 20 }],
      [3.05, { value: 90 }],
    ];
    const channels = [channel("/arm/video", "foxglove.CompressedVideo")];
    const file = await jsonRecording({ "/arm/motor": motor }, { more: { channels, messages } });
    const recordingId = await processedRecording(org, (await makeDevice(org)).uid, [file]);
    const { uid } = await prisma.alert.findFirstOrThrow({ where: { recordingId } });
    await runJobs([make]);
    return (await getCapture(uid))!;
  }

  test("has its pictures where the server has ffmpeg", async () => {
    const picture = path.join(folder, "picture.jpg");
    await sharp({ create: { width: 64, height: 48, channels: 3, background: "#804020" } })
      .jpeg()
      .toFile(picture);
    fs.writeFileSync(path.join(folder, "ffmpeg"), `#!/bin/sh\nexec /bin/cat ${picture}\n`, { mode: 0o755 });
    const { pictures, notes } = await capture(folder);
    expect(notes).toEqual([]);
    expect(pictures.map(({ wanted_ms: wanted, width, height }) => [wanted, width, height])).toEqual(
      [0, -2_000, -1_000, 1_000].map((wanted) => [wanted, 64, 48]),
    );
  });

  test("is named where it has none", async () => {
    const { pictures, notes } = await capture("/nowhere");
    expect(pictures).toEqual([]);
    expect(notes).toEqual(["/arm/video: Pictures of video are kept only where the server has ffmpeg."]);
  });
});
