import { beforeAll, describe, expect, test } from "vitest";
import { expireInactiveUploads } from "@/server/features/recordings/expiry-service";
import type { RecordingDetail, RecordingResource } from "@/server/features/recordings/resource";
import { finishStatus } from "@/server/features/recordings/service";
import { prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import type { Page } from "@/server/platform/pagination";
import { newUid, uuidv7 } from "@/server/platform/uid";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { runQueuedJobs } from "@/server/testing/queued-jobs";
import { request, createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
let other: TestOrganization;
let deviceId: string;
let token: string;

beforeAll(async () => {
  [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);
  const device = await makeDevice(org, { name: "Rover" });
  [deviceId, token] = [device.uid, device.device_token];
});

const create = (body: object, as: { key?: string; token?: string } = { key: org.key }) =>
  request<RecordingResource & Record<string, unknown>>("POST", "/fleet/recordings/", { ...as, body });
const get = (uid: string, key = org.key) => request<RecordingDetail>("GET", `/fleet/recordings/${uid}/`, { key });
const patch = (uid: string, body: unknown, key = org.key) =>
  request<RecordingResource & Record<string, unknown>>("PATCH", `/fleet/recordings/${uid}/`, { key, body });
const list = async (query: string, key = org.key) =>
  (await request<Page<RecordingResource>>("GET", `/fleet/recordings/?${query}`, { key })).body;
const uids = async (query: string) => (await list(query)).results.map((recording) => recording.uid);
const ready = (options: Parameters<typeof makeRecording>[2] = {}) => makeRecording(org, deviceId, options);

/** Creates the session and one file of a completed upload, as rows. */
async function withFiles(recordingId: string): Promise<void> {
  const prefix = `recordings/${org.uid}/${recordingId}/`;
  const session = await prisma.uploadSession.create({
    data: {
      uid: uuidv7(),
      organizationId: org.uid,
      recordingId,
      status: "finalized",
      filesHash: "",
      prefix,
      totalFiles: 0,
      totalBytes: 0n,
    },
  });
  expect(session.status).toBe("finalized");
}

describe("creating", () => {
  test("a recording is read as it was returned at creation", async () => {
    const { status, body } = await create({
      device_id: deviceId,
      name: "Run 7",
      started_at: "2026-01-02T03:04:05.678+01:00",
      tags: ["b", "a", "b"],
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      uid: body.uid,
      device_id: deviceId,
      device_name: "Rover",
      status: "uploading",
      duration_seconds: 0,
      size_bytes: 0,
      topic_count: 0,
      tags: ["b", "a"],
      started_at: "2026-01-02T02:04:05.678Z",
      ended_at: "2026-01-02T02:04:05.678Z",
      created_at: body.created_at,
      name: "Run 7",
      error_message: null,
      warnings: [],
      gaps: [],
      format: null,
      message_count: 0,
      start_ns: null,
      end_ns: null,
      stage: null,
      progress: null,
      demo: false,
    });
    expect((await get(body.uid)).body).toEqual({
      ...body,
      topics: [],
      processing_seconds: null,
      processing_cpu_seconds: null,
      processed_by_earlier: false,
    });
    expect((await list("limit=1")).results[0]).toEqual(body);
  });

  test("without a start time it starts at its creation", async () => {
    const { body } = await create({ device_id: deviceId });
    expect([body.started_at, body.ended_at]).toEqual([body.created_at, body.created_at]);
  });

  test("an organization's key must name a device of that organization", async () => {
    const foreign = await makeDevice(other);
    expect((await create({})).body).toEqual({ device_id: ["This field is required."] });
    expect((await create({ device_id: null })).body).toEqual({ device_id: ["This field may not be null."] });
    const random = newUid("device");
    const refusals = await Promise.all([foreign.uid, random].map((uid) => create({ device_id: uid })));
    for (const [i, { status, body }] of refusals.entries()) {
      const uid = [foreign.uid, random][i] ?? "";
      expect([status, body]).toEqual([400, { device_id: [`Invalid pk "${uid}" - object does not exist.`] }]);
    }
    expect((await create({ device_id: newUid("recording") })).body).toEqual({ device_id: ["Must be a valid UUID."] });
  });

  test("a device creates recordings of its own only", async () => {
    const { status, body } = await create({ name: "own" }, { token });
    expect([status, body.device_id]).toEqual([201, deviceId]);
    const sibling = await makeDevice(org);
    expect((await create({ device_id: sibling.uid }, { token })).status).toBe(400);
    expect((await create({ device_id: deviceId }, { token })).status).toBe(201);
  });

  test("a device may not read, change or delete recordings", async () => {
    const { body } = await create({}, { token });
    const at = `/fleet/recordings/${body.uid}/`;
    const calls: [string, string][] = [
      ["GET", "/fleet/recordings/"],
      ["GET", at],
      ["PATCH", at],
      ["DELETE", at],
      ["POST", `${at}reprocess/`],
      ["GET", `${at}files/`],
      ["GET", `${at}series/?topic=/a&field=b`],
      ["GET", `${at}messages/?topic=/a`],
    ];
    for (const [method, path] of calls)
      expect([path, (await request(method, path, { token })).status]).toEqual([path, 403]);
  });

  test.each([
    ["name", { name: "x".repeat(256) }],
    ["name", { name: 7 }],
    ["tags", { tags: null }],
    ["tags", { tags: [""] }],
    ["tags", { tags: Array.from({ length: 101 }, (_, i) => `t${i}`) }],
    ["started_at", { started_at: "2024-02-30T00:00:00Z" }],
    ["started_at", { started_at: "now" }],
    ["name", { name: "a\u0000b" }],
  ])("a bad %s is refused by name", async (field, extra) => {
    const { status, body } = await create({ device_id: deviceId, ...extra });
    expect([status, Object.keys(body)]).toEqual([400, [field]]);
  });
});

describe("listing", () => {
  test("filters select by device, status, tags, topic and search text", async () => {
    const device = await makeDevice(org, { name: "Picker 12" });
    const a = await makeRecording(org, device.uid, { status: "error", name: "100%_sure" });
    const { body: b } = await create({ device_id: device.uid, tags: ["night", "dock"] });
    await create({ device_id: device.uid, tags: ["night"] });
    await prisma.topic.create({
      data: {
        recordingId: a.uid,
        name: "/imu",
        organizationId: org.uid,
        deviceId: device.uid,
        schemaName: "",
        encoding: "cdr",
        messageCount: 1,
        frequencyHz: 0,
      },
    });
    const of = `device_id=${device.uid}`;
    expect((await uids(of)).length).toBe(3);
    expect((await uids(`device=${device.uid}`)).length).toBe(3);
    expect(await uids(`${of}&status=error,ready`)).toEqual([a.uid]);
    expect(await uids(`${of}&tags=night,dock`)).toEqual([b.uid]);
    expect(await uids("has_topic=/imu")).toEqual([a.uid]);
    expect(await uids(`${of}&search=%25_s`)).toEqual([a.uid]);
    expect((await uids("search=picker%2012")).length).toBe(3);
    expect(await uids(`search=${b.uid}`)).toEqual([b.uid]);
    expect(await uids("device_id=nonsense")).toEqual([]);
  });

  test("since includes the moment of creation, until excludes it", async () => {
    const device = await makeDevice(org);
    const { body } = await create({ device_id: device.uid });
    const at = body.created_at;
    const after = new Date(Date.parse(at) + 1).toISOString();
    const of = `device_id=${device.uid}`;
    expect(await uids(`${of}&since=${at}`)).toEqual([body.uid]);
    expect(await uids(`${of}&since=${after}`)).toEqual([]);
    expect(await uids(`${of}&until=${at}`)).toEqual([]);
    expect(await uids(`${of}&until=${after}`)).toEqual([body.uid]);
    expect(await uids(`${of}&since=${after}&until=${at}`)).toEqual([]);
  });

  test("pages list all of them, newest first", async () => {
    const device = await makeDevice(org);
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.unshift((await create({ device_id: device.uid })).body.uid);
    const first = await list(`device_id=${device.uid}&limit=2`);
    const second = (await request<Page<RecordingResource>>("GET", first.next ?? "", { key: org.key })).body;
    const third = (await request<Page<RecordingResource>>("GET", second.next ?? "", { key: org.key })).body;
    expect([first, second, third].flatMap((page) => page.results.map((row) => row.uid))).toEqual(made);
    expect(third.next).toBeNull();
  });

  test.each([
    ["since", "yesterday"],
    ["status", "gone"],
    ["limit", "0"],
    ["cursor", "x"],
  ])("a bad %s is refused", async (field, value) => {
    const { status, body } = await request("GET", `/fleet/recordings/?${field}=${value}`, { key: org.key });
    expect([status, Object.keys(body)]).toEqual([400, [field]]);
  });

  test("a recording of a deleted device keeps the device's last name", async () => {
    const device = await makeDevice(org, { name: "Before" });
    const { body } = await create({ device_id: device.uid });
    await request("PATCH", `/fleet/devices/${device.uid}/`, { key: org.key, body: { name: "Renamed" } });
    expect((await get(body.uid)).body.device_name).toBe("Renamed");
    await request("DELETE", `/fleet/devices/${device.uid}/`, { key: org.key });
    expect((await get(body.uid)).body).toMatchObject({ device_id: device.uid, device_name: "Renamed" });
  });
});

describe("changing", () => {
  test("tags are replaced and searchable, and nothing else changes", async () => {
    const { body: before } = await create({ device_id: deviceId, tags: ["old"] });
    const { status, body } = await patch(before.uid, { tags: ["new", "new"], name: "n", uid: "x", size_bytes: 9 });
    expect([status, body]).toEqual([200, { ...before, tags: ["new"], name: "n" }]);
    expect(await uids(`tags=new&device_id=${deviceId}`)).toEqual([before.uid]);
    expect(await uids(`tags=old&device_id=${deviceId}`)).toEqual([]);
    expect((await patch(before.uid, {})).body).toEqual(body);
  });

  test("any recording can be archived", async () => {
    for (const status of ["uploading", "processing", "ready", "error", "archived"]) {
      const { uid } = await ready({ status });
      expect([status, (await patch(uid, { status: "archived" })).body.status]).toEqual([status, "archived"]);
    }
  });

  test.each(["uploading", "processing", "error", "exploded", "READY", null])(
    "the status cannot be set to %s",
    async (status) => {
      const { uid } = await ready();
      const response = await patch(uid, { status });
      expect([response.status, Object.keys(response.body)]).toEqual([400, ["status"]]);
    },
  );

  test("only an archived recording with its files becomes ready again", async () => {
    const archived = await ready({ status: "archived", processedAt: new Date() });
    expect((await patch(archived.uid, { status: "ready" })).status).toBe(400);
    await withFiles(archived.uid);
    expect((await patch(archived.uid, { status: "ready" })).body.status).toBe("ready");
    expect((await patch(archived.uid, { status: "ready" })).body).toEqual({
      status: ["Only an archived recording can be made ready again."],
    });
    const failed = await ready({ status: "archived", processedAt: new Date(), errorMessage: "unknown format" });
    await withFiles(failed.uid);
    expect((await patch(failed.uid, { status: "ready" })).status).toBe(400);
    const unfinished = await ready({ status: "archived" });
    await withFiles(unfinished.uid);
    expect((await patch(unfinished.uid, { status: "ready" })).body.status).toBe("processing");
  });

  test("a recording archived while it is processed stays archived afterwards", async () => {
    const [archived, running] = [await ready({ status: "archived" }), await ready({ status: "processing" })];
    await prisma.$executeRaw`update recordings set status = ${finishStatus("ready")} where uid in (${archived.uid}, ${running.uid})`;
    const statuses = await Promise.all([archived, running].map(async ({ uid }) => (await get(uid)).body.status));
    expect(statuses).toEqual(["archived", "ready"]);
  });

  test("reprocessing needs the files, and queues a job", async () => {
    const { uid } = await ready({ status: "error", errorMessage: "too slow" });
    const again = () => request<RecordingResource>("POST", `/fleet/recordings/${uid}/reprocess/`, { key: org.key });
    expect((await again()).status).toBe(400);
    await withFiles(uid);
    expect((await again()).body).toMatchObject({ status: "processing", error_message: null });
    const { body } = await create({ device_id: deviceId });
    expect((await request("POST", `/fleet/recordings/${body.uid}/reprocess/`, { key: org.key })).status).toBe(400);
  });
});

describe("deleting", () => {
  test("deletes its events, topics and tags, and detaches its alerts", async () => {
    const { body } = await create({ device_id: deviceId, tags: ["gone"] });
    const recordingId = body.uid;
    const alert = {
      uid: newUid("alert"),
      organizationId: org.uid,
      ruleId: newUid("rule"),
      ruleName: "r",
      ruleVersion: 1,
      deviceId,
      deviceName: "d",
      recordingId,
      severity: "info",
      message: "m",
      dedupeKey: recordingId,
      triggeredAt: new Date(),
      triggeredNs: 0n,
    };
    await prisma.alert.create({ data: alert });
    await request("POST", "/fleet/events/", {
      key: org.key,
      body: { recording_id: recordingId, type: "info", label: "l", timestamp: "2026-01-01T00:00:00Z" },
    });
    expect((await request("DELETE", `/fleet/recordings/${recordingId}/`, { key: org.key })).status).toBe(204);
    expect((await get(recordingId)).status).toBe(404);
    expect(await prisma.event.count({ where: { recordingId } })).toBe(0);
    expect(await prisma.recordingTag.count({ where: { recordingId } })).toBe(0);
    expect((await prisma.alert.findUniqueOrThrow({ where: { uid: alert.uid } })).recordingId).toBeNull();
    expect((await request("DELETE", `/fleet/recordings/${recordingId}/`, { key: org.key })).status).toBe(404);
  });
});

test("no transport gives access to another organization's recording", async () => {
  const { body } = await create({ device_id: deviceId });
  const at = `/fleet/recordings/${body.uid}/`;
  const session_uid = uuidv7();
  const calls: [string, string, unknown?][] = [
    ["GET", at],
    ["PATCH", at, { name: "stolen" }],
    ["PATCH", at, { status: 7 }],
    ["DELETE", at],
    ["POST", `${at}reprocess/`],
    ["GET", `${at}files/`],
    ["GET", `${at}series/?topic=/a&field=b`],
    ["GET", `${at}messages/`],
    ["POST", `${at}upload/init/`, { files: [{ path: "a", size_bytes: 1 }] }],
    ["POST", `${at}upload/urls/`, { session_uid, file_paths: ["a"] }],
    ["POST", `${at}upload/confirm/`, { session_uid, files: [{ path: "a", etag: "x", size_bytes: 1 }] }],
    ["POST", `${at}upload/finalize/`, {}],
    ["GET", `${at}upload/status/`],
  ];
  const outsider = await makeDevice(org);
  for (const [method, path, payload] of calls) {
    const response = await request(method, path, { key: other.key, ...(payload !== undefined && { body: payload }) });
    expect([method, path, response.status, response.body]).toEqual([method, path, 404, { detail: "Not found." }]);
    if (!path.includes("/upload/")) continue;
    const sibling = await request(method, path, {
      token: outsider.device_token,
      ...(payload !== undefined && { body: payload }),
    });
    expect([path, sibling.status]).toEqual([path, 404]);
  }
  await expect(createTrpcCaller(other).recordings.get({ uid: body.uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect((await createTrpcCaller(org).recordings.get({ uid: body.uid })).uid).toBe(body.uid);
  expect((await list(`device_id=${deviceId}`, other.key)).results).toEqual([]);
});

test("only an upload that is inactive for seven days becomes an error", async () => {
  const day = 24 * 3_600_000;
  const now = Date.now();
  const [silent, alive, done] = await Promise.all([
    ready({ status: "uploading", activeAt: new Date(now - 7 * day - 1_000) }),
    ready({ status: "uploading", activeAt: new Date(now - 7 * day + 60_000) }),
    ready({ status: "ready", activeAt: new Date(now - 30 * day) }),
  ]);
  await expireInactiveUploads(new Date(now));
  await runQueuedJobs(jobs.removeUnconfirmed, { recordingId: silent.uid });
  expect((await get(silent.uid)).body).toMatchObject({
    status: "error",
    error_message: "The upload was not finished: nothing arrived for 7 days.",
  });
  expect((await get(alive.uid)).body.status).toBe("uploading");
  expect((await get(done.uid)).body.status).toBe("ready");
});
