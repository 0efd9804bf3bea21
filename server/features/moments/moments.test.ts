import type { inferRouterInputs } from "@trpc/server";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestChannel, TestMessage } from "@/engine/testing/write-mcap";
import type { AppRouter } from "@/server/composition/trpc-root";
import * as datasetJobs from "@/server/features/datasets/jobs";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { extract } from "@/server/features/moments/jobs";
import { countPresent, planMoment } from "@/server/features/moments/plan-service";
import type { MomentAdded, MomentPreview } from "@/server/features/moments/resource";
import { sweepMoments } from "@/server/features/moments/sweep-service";
import { systemContext } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { objectStore } from "@/server/platform/storage/current";
import { makeDataset } from "@/server/testing/datasets";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { epoch, jsonRecording, processedRecording, runJobs } from "@/server/testing/processing";
import { jobIds } from "@/server/testing/queued-jobs";
import { createTrpcCaller, request } from "@/server/testing/requests";

let org: TestOrganization;
let other: TestOrganization;
let deviceId: string;
let recordingId: string;
let alertId: string;
let ruleId: string;

type Inputs = inferRouterInputs<AppRouter>["moments"];
const ms = 1_000_000n;
const at = (offset: number): bigint => epoch + BigInt(offset) * ms;

const channel = (topic: string, schemaName: string): TestChannel => ({
  topic,
  messageEncoding: "json",
  schemaName,
  schemaEncoding: "jsonschema",
  schema: "{}",
});

let jpeg: Buffer;

/** Four seconds of a camera of JPEGs and one of pixels at 10 Hz, and clouds at 2 Hz; the motor is too hot at 2.05 s. */
async function robotRecording(): Promise<Buffer> {
  const channels = [
    channel("/front/compressed", "foxglove.CompressedImage"),
    channel("/rear/raw", "foxglove.RawImage"),
    channel("/lidar", "foxglove.PointCloud"),
    channel("/broken", "foxglove.RawImage"),
  ];
  const messages: TestMessage[] = [];
  const add = (topic: string, offset: number, value: object) =>
    messages.push({ topic, time: at(offset), data: Buffer.from(JSON.stringify(value)) });
  const fields = ["x", "y", "z"].map((name, n) => ({ name, offset: n * 4, type: 7 }));
  const points = Buffer.alloc(5 * 12, 1).toString("base64");
  for (let n = 0; n < 40; n++) {
    add("/front/compressed", n * 100, { format: "jpeg", data: jpeg.toString("base64") });
    const pixels = Buffer.alloc(8 * 6, n * 4).toString("base64");
    const raw = { width: 8, height: 6, encoding: "mono8", step: 8, data: pixels };
    add("/rear/raw", n * 100, raw);
    if (n % 5 === 0) add("/lidar", n * 100 + 1, { point_stride: 12, fields, data: points });
    if (n === 20) add("/broken", n * 100, { ...raw, height: 600 });
  }
  const motor: [number, unknown][] = [
    [0, { value: 20 }],
    [2.05, { value: 90 }],
  ];
  return jsonRecording({ "/arm/motor": motor }, { more: { channels, messages } });
}

beforeAll(async () => {
  [org, other] = [await makeOrganization(), await makeOrganization()];
  deviceId = (await makeDevice(org)).uid;
  jpeg = await sharp({ create: { width: 64, height: 48, channels: 3, background: "#345" } })
    .jpeg()
    .toBuffer();
  const condition = { type: "threshold", topic: "/arm/motor", field: "value", operator: "gt", value: 80 };
  const body = { name: "Motor too hot", condition, actions: [{ type: "flag_for_review" }] };
  ruleId = (await request<{ uid: string }>("POST", "/fleet/rules/", { key: org.key, body })).body.uid;
  recordingId = await processedRecording(org, deviceId, [await robotRecording()]);
  alertId = (await prisma.alert.findFirstOrThrow({ where: { recordingId } })).uid;
});

const call = (by = org) => createTrpcCaller(by).moments;
const range = { from: String(at(1_000)), to: String(at(1_990)) };

type Added = Omit<Inputs["add"], "dataset" | "recording_id" | "from" | "to"> & { from?: string; to?: string };
const add = (dataset: DatasetResource, input: Added): Promise<MomentAdded> =>
  call().add({ dataset: dataset.uid, recording_id: recordingId, ...range, ...input });
const work = () => runJobs([extract, datasetJobs.examine]);
const listItems = ({ uid: datasetId }: DatasetResource) =>
  prisma.item.findMany({ where: { datasetId }, orderBy: { uid: "asc" } });
const getMoment = (uid: string | null) => createTrpcCaller(org).moments.get({ uid: uid ?? "" });

describe("a range of a recording", () => {
  test("is counted exactly, by topic and rate, before it is added", async () => {
    const dataset = await makeDataset(org);
    const count = (input: Partial<Inputs["preview"]>): Promise<MomentPreview> =>
      call().preview({ dataset: dataset.uid, recording_id: recordingId, ...range, ...input });
    const all = await count({});
    expect(all).toMatchObject({ frames: 20, present: 0, exact: true, refused: null });
    expect(all.topics.map(({ name, kind, frames }) => [name, kind, frames])).toEqual([
      ["/broken", "image", 0],
      ["/front/compressed", "image", 10],
      ["/lidar", "points", 2],
      ["/rear/raw", "image", 10],
      ["/arm/motor", "other", 0],
    ]);
    expect((await count({ every_ms: 200 })).frames).toBe(10);
    expect((await count({ first: true, topics: ["/lidar", "/rear/raw"] })).frames).toBe(2);
    expect((await count({ clip: true })).frames).toBe(1);
  });

  test("becomes items with where they are from: JPEGs as they were sent, pixels as PNG, clouds as PCD", async () => {
    const dataset = await makeDataset(org);
    const topics = ["/front/compressed", "/rear/raw", "/lidar"];
    const added = await add(dataset, { topics, alert_id: alertId, rule_id: ruleId, note: "worth a look" });
    expect(added).toMatchObject({ dataset_uid: dataset.uid, planned: 22, present: 0 });
    await work();
    const items = await listItems(dataset);
    expect(items).toHaveLength(22);
    const [first] = items.filter(({ key }) => key.includes("compressed"));
    expect(first).toMatchObject({
      key: `${recordingId}/front/compressed/${at(1_000)}.jpg`,
      status: "unattempted",
      mediaType: "image/jpeg",
      recordingId,
      momentId: added.moment_uid,
      tNs: at(1_000),
      addedById: org.ctx.actor.userId,
    });
    const device = await prisma.device.findUniqueOrThrow({ where: { uid: deviceId } });
    expect(first?.metadata).toEqual({
      format: "jpeg",
      width: 64,
      height: 48,
      channels: 3,
      source: {
        device_id: deviceId,
        device_name: device.name,
        recording_id: recordingId,
        topic: "/front/compressed",
        t_ns: String(at(1_000)),
        alert_id: alertId,
        rule_id: ruleId,
        moment_id: added.moment_uid,
      },
    });
    expect(Buffer.from(await objectStore().readBytes(first!.storageKey, 0, jpeg.length + 1))).toEqual(jpeg);
    expect(items.filter(({ mediaType }) => mediaType === "image/png")).toHaveLength(10);
    const [cloud] = items.filter(({ mediaType }) => mediaType === "pointcloud/pcd");
    expect(cloud?.metadata).toMatchObject({ point_count: 5, fields: ["x", "y", "z"] });
    const moment = await getMoment(added.moment_uid);
    expect(moment).toMatchObject({
      status: "done",
      planned: 22,
      added: 22,
      present: 0,
      failed: 0,
      note: "worth a look",
    });
    const counted = await prisma.dataset.findUniqueOrThrow({ where: { uid: dataset.uid } });
    expect([counted.itemCount, counted.status]).toEqual([22, "created"]);
    expect(counted.sizeBytes).toBe(items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0n));
  });

  test("is added once, however often and however it overlaps", async () => {
    const dataset = await makeDataset(org);
    const topics = ["/front/compressed"];
    await add(dataset, { topics });
    await work();
    expect(await add(dataset, { topics })).toEqual({
      moment_uid: null,
      dataset_uid: dataset.uid,
      planned: 0,
      present: 10,
    });
    const overlapping = await add(dataset, { topics, to: String(at(2_490)) });
    expect(overlapping).toMatchObject({ planned: 5, present: 10 });
    await work();
    expect(await listItems(dataset)).toHaveLength(15);
    expect(await getMoment(overlapping.moment_uid)).toMatchObject({ added: 5, present: 10 });
  });

  test("that is too long to be read for a preview is counted by what the dataset has of its topics and times", async () => {
    const dataset = await makeDataset(org);
    await add(dataset, { topics: ["/front/compressed"] });
    await work();
    const ctx = systemContext(prisma, org.uid);
    const chosen = { recording_id: recordingId, topics: ["/front/compressed"], clip: false, every_ms: 0, first: false };
    const plan = await planMoment(ctx, { ...chosen, from: at(1_500), to: at(1_990) }, false);
    expect(await countPresent(ctx, { ...plan, exact: false }, dataset.uid)).toBe(5);
  });

  test("can be a clip, which is the range as MCAP", async () => {
    const dataset = await makeDataset(org, { data_type: "mcap" });
    await add(dataset, { clip: true });
    await work();
    const [clip, ...more] = await listItems(dataset);
    expect(more).toEqual([]);
    expect(clip).toMatchObject({
      mediaType: "recording/mcap",
      key: `${recordingId}/clip/${range.from}-${range.to}.mcap`,
    });
    expect(clip?.metadata).toMatchObject({ topic_count: 4, message_count: 23 });
    expect(await add(dataset, { clip: true })).toMatchObject({ moment_uid: null, present: 1 });
  });

  test("names what could not become an item", async () => {
    const dataset = await makeDataset(org);
    const { moment_uid: uid } = await add(dataset, { topics: ["/broken"], to: String(at(2_500)) });
    await work();
    expect(await getMoment(uid)).toMatchObject({ status: "done", added: 0, failed: 1 });
    expect((await getMoment(uid)).error).toContain("/broken: The message says 8 × 600 mono8");
  });

  test("of another organization, of nobody or without frames is refused by member", async () => {
    const dataset = await makeDataset(org);
    const refuse = (input: Added, message: string) =>
      expect(add(dataset, input)).rejects.toMatchObject({
        code: "BAD_REQUEST",
        message: expect.stringContaining(message),
      });
    const foreign = (await makeDevice(other)).uid.replace("dev_", "alt_");
    await refuse({ alert_id: foreign }, `${foreign}\\" - object does not exist.`);
    await refuse({ topics: ["/nothing"] }, '/nothing\\" is not a topic of this recording.');
    await refuse({ topics: ["/arm/motor"] }, "are no pictures or point clouds");
    await refuse({ from: range.to, to: range.from }, "Must not be before `from`.");
    await refuse({ from: String(at(60_000)), to: String(at(61_000)) }, "The recording ends before.");
    const theirs = await makeDataset(other);
    await expect(add(theirs, {})).rejects.toMatchObject({ code: "BAD_REQUEST" });
    const input = { dataset: theirs.uid, recording_id: recordingId, ...range };
    await expect(call(other).add(input)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    const { moment_uid: uid } = await add(dataset, { topics: ["/lidar"] });
    await expect(call(other).get({ uid: uid ?? "" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(call(other).undo({ uid: uid ?? "" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await call(other).marks({ recordings: [recordingId] })).toEqual([]);
  });
});

describe("an interrupted extraction", () => {
  const attempt = (uid: string | null, signal: AbortSignal, number: number) =>
    extract.run(
      { organizationId: org.uid, momentId: uid },
      { attempt: { jobId: "0", attempt: number }, lastAttempt: false, signal, log: logFor("worker") },
    );

  test("of a worker that lost its job changes nothing", async () => {
    const dataset = await makeDataset(org);
    const { moment_uid: uid } = await add(dataset, { topics: ["/rear/raw"] });
    await expect(attempt(uid, new AbortController().signal, 1)).rejects.toThrow("superseded");
    expect(await listItems(dataset)).toEqual([]);
    await work();
    expect(await listItems(dataset)).toHaveLength(10);
  });

  test("goes on where it ended, and each item is there once", async () => {
    const dataset = await makeDataset(org);
    const whole = { topics: ["/front/compressed", "/rear/raw"], from: String(at(0)), to: String(at(3_990)) };
    const { moment_uid: uid, planned } = await add(dataset, whole);
    expect(planned).toBe(80);
    await work();
    // As an attempt leaves it that was killed after its second group.
    const all = await listItems(dataset);
    const kept = all.slice(0, 32);
    await prisma.item.deleteMany({ where: { uid: { in: all.slice(32).map((item) => item.uid) } } });
    await prisma.dataset.update({ where: { uid: dataset.uid }, data: { itemCount: 32 } });
    const next = kept.reduce((last, { tNs }) => ((tNs ?? 0n) > last ? (tNs ?? 0n) : last), 0n);
    await prisma.moment.update({
      where: { uid: uid ?? "" },
      data: { finishedAt: null, status: "extracting", added: 32, updatedAt: new Date(0) },
    });
    await prisma.momentSpan.updateMany({ where: { momentId: uid ?? "" }, data: { nextNs: next, finished: false } });
    expect(await sweepMoments()).toBe(1);
    await work();
    const items = await listItems(dataset);
    expect(items).toHaveLength(80);
    expect(new Set(items.map(({ key }) => key)).size).toBe(80);
    expect((await prisma.dataset.findUniqueOrThrow({ where: { uid: dataset.uid } })).itemCount).toBe(80);
    const moment = await getMoment(uid);
    expect([moment.status, moment.added, moment.present]).toEqual(["done", 80, 0]);
  });
});

describe("many moments", () => {
  test("of a rule's hits are one addition with an item of each hit and camera", async () => {
    const dataset = await makeDataset(org);
    const second = await processedRecording(org, deviceId, [await robotRecording()]);
    const source = { dataset: dataset.uid, rule_id: ruleId, after_ms: 500 };
    expect(await call().previewMany(source)).toMatchObject({
      moments: 2,
      empty: 0,
      frames: 6,
      present: 0,
      refused: null,
    });
    const added = await call().addMany(source);
    expect(added).toMatchObject({ planned: 6 });
    await work();
    const items = await listItems(dataset);
    expect(new Set(items.map((item) => item.recordingId))).toEqual(new Set([recordingId, second]));
    expect(items.map(({ tNs }) => tNs)).toEqual(Array.from({ length: 4 }, () => at(2_100)));
    const moment = await getMoment(added.moment_uid);
    expect(moment).toMatchObject({ status: "done", spans: 2, finished_spans: 2, added: 4 });
  });

  test("whose ranges overlap have each frame once, and each frame that cannot be read counted for each", async () => {
    const dataset = await makeDataset(org);
    const { uid: _, ...alert } = await prisma.alert.findUniqueOrThrow({ where: { uid: alertId } });
    const again = await prisma.alert.create({
      data: { ...alert, evidence: {}, uid: `alt_${crypto.randomUUID()}`, dedupeKey: "again" },
    });
    const added = await call().addMany({
      dataset: dataset.uid,
      alerts: [alertId, again.uid],
      first: false,
      before_ms: 100,
      after_ms: 150,
    });
    await work();
    const times = [2_000, 2_100, 2_200].flatMap((time) => [at(time), at(time)]); // of two cameras
    expect((await listItems(dataset)).map(({ tNs }) => tNs)).toEqual(times);
    expect(await getMoment(added.moment_uid)).toMatchObject({
      ...{ status: "done", spans: 2, finished_spans: 2, added: 6, present: 6, failed: 2 },
    });
  });

  test("need exactly one kind of source, whose objects exist", async () => {
    const dataset = await makeDataset(org);
    const refuse = (input: Omit<Inputs["addMany"], "dataset">, message: string) =>
      expect(call().addMany({ dataset: dataset.uid, ...input })).rejects.toMatchObject({
        code: "BAD_REQUEST",
        message: expect.stringContaining(message),
      });
    const one = "Name exactly one of alerts, events, recordings and rule_id.";
    await refuse({}, one);
    await refuse({ alerts: [alertId], rule_id: ruleId }, one);
    const foreign = recordingId.replace(/.$/, recordingId.endsWith("0") ? "1" : "0");
    await refuse({ recordings: [foreign] }, `${foreign}\\" - object does not exist.`);
  });
});

describe("undoing", () => {
  test("deletes the items, their files and their part of every count", async () => {
    const dataset = await makeDataset(org);
    const { moment_uid: uid } = await add(dataset, { topics: ["/front/compressed"], alert_id: alertId });
    await work();
    const caller = createTrpcCaller(org);
    expect((await caller.moments.marks({ alerts: [alertId] })).some((mark) => mark.uid === dataset.uid)).toBe(true);
    const undo = () => call().undo({ uid: uid ?? "" });
    expect(await undo()).toMatchObject({ status: "undone" });
    expect(await undo()).toMatchObject({ status: "undone" });
    expect(await listItems(dataset)).toEqual([]);
    const row = await prisma.dataset.findUniqueOrThrow({ where: { uid: dataset.uid } });
    expect([row.itemCount, row.sizeBytes]).toEqual([0, 0n]);
    expect((await caller.moments.marks({ alerts: [alertId] })).some((mark) => mark.uid === dataset.uid)).toBe(false);
    const timeline = await caller.alerts.timeline({ uid: alertId });
    const texts = timeline.results.map(({ text }) => text);
    expect(texts).toContain(`Added to ${dataset.name}`);
    expect(texts.at(-1)).toBe(`Removed from ${dataset.name}`);
    // Adding it again is adding it anew.
    expect(await add(dataset, { topics: ["/front/compressed"] })).toMatchObject({ planned: 10 });
  });

  test("stops what is not extracted yet", async () => {
    const dataset = await makeDataset(org);
    const { moment_uid: uid } = await add(dataset, { topics: ["/front/compressed"] });
    await createTrpcCaller(org).moments.undo({ uid: uid ?? "" });
    await work();
    expect(await listItems(dataset)).toEqual([]);
    // A killed worker may have stored files that no items were made of.
    expect(await jobIds({ prefix: `datasets/${org.uid}/${dataset.uid}/${uid}/` })).toHaveLength(1);
    expect(await getMoment(uid)).toMatchObject({ status: "undone", added: 0 });
  });

  test("is refused a day later, and once an item is labelled", async () => {
    const dataset = await makeDataset(org);
    const { moment_uid: uid } = await add(dataset, { topics: ["/front/compressed"] });
    await work();
    const refuse = (message: string) =>
      expect(call().undo({ uid: uid ?? "" })).rejects.toMatchObject({
        code: "BAD_REQUEST",
        message: expect.stringContaining(message),
      });
    const [item] = await listItems(dataset);
    await prisma.item.update({ where: { uid: item!.uid }, data: { annotationCount: 1 } });
    await refuse("Some of these items are labelled already.");
    await prisma.item.update({ where: { uid: item!.uid }, data: { annotationCount: 0 } });
    await prisma.moment.update({
      where: { uid: uid ?? "" },
      data: { createdAt: new Date(Date.now() - 25 * 3_600_000) },
    });
    await refuse("What was added more than 24 hours ago cannot be undone.");
    expect(await listItems(dataset)).toHaveLength(10);
  });
});

test("the overview counts alerts that are in no dataset", async () => {
  const mine = await makeOrganization();
  const device = (await makeDevice(mine)).uid;
  const condition = { type: "threshold", topic: "/arm/motor", field: "value", operator: "gt", value: 80 };
  const body = { name: "Motor too hot", condition, actions: [{ type: "flag_for_review" }] };
  await request("POST", "/fleet/rules/", { key: mine.key, body });
  const uid = await processedRecording(mine, device, [await robotRecording()]);
  const { uid: alert } = await prisma.alert.findFirstOrThrow({ where: { recordingId: uid } });
  const caller = createTrpcCaller(mine);
  expect(await caller.overview.loop({})).toBeNull();
  const dataset = await makeDataset(mine);
  expect(await caller.overview.loop({})).toMatchObject({ unused_moments: 1, new_items: 0, exports: 0 });
  await caller.moments.addMany({ dataset: dataset.uid, alerts: [alert] });
  await work();
  expect(await caller.overview.loop({})).toMatchObject({ unused_moments: 0, new_items: 2 });
});
