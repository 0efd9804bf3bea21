import fs from "node:fs";
import { beforeAll, describe, expect, test, onTestFinished } from "vitest";
import type { CreateRule } from "@/domain/rules/schema";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { enqueueProcessing } from "@/server/features/recordings/queue-service";
import { getRecording, reprocessRecording } from "@/server/features/recordings/service";
import { createRule, getRule } from "@/server/features/rules/service";
import { prisma } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { makeChannel } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import {
  epoch,
  jsonRecording,
  processedRecording,
  runJobs,
  second,
  temperatures,
  uploadRecording,
} from "@/server/testing/processing";
import { queuedJobs } from "@/server/testing/queued-jobs";
import { request, createTrpcCaller } from "@/server/testing/requests";
import { filesOfKey } from "@/server/testing/stored-files";

let org: TestOrganization;
let deviceId: string;
let channelId: string;

beforeAll(async () => {
  org = await makeOrganization();
  deviceId = (await makeDevice(org, { name: "arm-04", tags: ["hall-1"] })).uid;
  channelId = (await makeChannel(org, "webhook", { url: "https://receiver.example.com/hook" })).uid;
});

const hot = (over: Partial<CreateRule> = {}): Promise<{ uid: string }> =>
  createRule(org.ctx, {
    name: "Motor too hot",
    condition: {
      type: "threshold",
      topic: "/motor/temp",
      field: "data.value",
      operator: "gt",
      value: 80,
      window: "2s",
    },
    actions: [
      { type: "tag", value: "hot" },
      { type: "create_event", event_type: "anomaly", label: "Motor too hot", severity: "error" },
      { type: "flag_for_review" },
      { type: "notify", channel_id: channelId },
    ],
    scope: { device_ids: [deviceId] },
    ...over,
  });

const warmAndHot = [79, 81, 82, 83, 79, 81, 84, 86, 85, 70];

/** Everything that processing derives from a recording, without the uids and times of the rows themselves. */
async function readDerived(recordingId: string) {
  const where = { recordingId };
  const bare = <T extends object>(rows: T[], ...names: (keyof T)[]) =>
    rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name as keyof T))));
  return {
    topics: await prisma.topic.findMany({ where, orderBy: { name: "asc" } }),
    series: await prisma.series.findMany({ where, orderBy: [{ topic: "asc" }, { field: "asc" }] }),
    events: bare(await prisma.event.findMany({ where, orderBy: { timestampNs: "asc" } }), "uid", "createdAt"),
    evaluations: bare(
      await prisma.ruleEvaluation.findMany({ where, orderBy: { ruleId: "asc" } }),
      "evaluatedAt",
      "durationMs",
      "actionResults",
    ),
    hits: await prisma.ruleHit.findMany({ where, orderBy: [{ ruleId: "asc" }, { position: "asc" }] }),
    alerts: bare(await prisma.alert.findMany({ where }), "updatedAt"),
    notifications: await prisma.notification.count({ where: { alert: { recordingId } } }),
    tags: await prisma.recordingTag.findMany({ where, orderBy: { tag: "asc" } }),
  };
}

describe("a recording in which a motor runs hot", () => {
  let ruleId: string;
  let uid: string;

  beforeAll(async () => {
    ruleId = (await hot()).uid;
    uid = await processedRecording(org, deviceId, [await jsonRecording({ "/motor/temp": temperatures(warmAndHot) })]);
  });

  test("becomes ready with its topics, times and counts", async () => {
    const { body } = await request<Record<string, unknown>>("GET", `/fleet/recordings/${uid}/`, { key: org.key });
    expect(body).toMatchObject({
      status: "ready",
      duration_seconds: 9,
      topic_count: 1,
      message_count: 10,
      format: "mcap",
      error_message: null,
      stage: null,
      started_at: isoFromNs(epoch),
      ended_at: isoFromNs(epoch + 9n * second),
      tags: ["hot", "needs-review"],
      topics: [
        {
          name: "/motor/temp",
          schema: "json/motor/temp",
          message_count: 10,
          frequency_hz: 1,
          error: null,
          fields: [{ path: "data.value", kind: "number", min: 70, max: 86 }],
        },
      ],
    });
  });

  test("has an alert with the evidence of its first trigger, counting the others", async () => {
    const { body } = await request("GET", `/fleet/alerts/?recording_id=${uid}`, { key: org.key });
    expect(body.results).toHaveLength(1);
    const alert = await request<{ evidence: { leaves: Record<string, unknown>[] } & Record<string, unknown> }>(
      "GET",
      `/fleet/alerts/${body.results[0]?.uid}/`,
      { key: org.key },
    );
    expect(alert.body).toMatchObject({
      rule_id: ruleId,
      device_name: "arm-04",
      severity: "error",
      status: "open",
      occurrence_count: 2,
      triggered_at: isoFromNs(epoch + 3n * second),
      message: "Motor temp 83 (limit 80 for 2 s)",
    });
    const { evidence } = alert.body;
    expect(evidence).toMatchObject({
      rule_version: 1,
      condition: "/motor/temp data.value > 80 for 2s",
      window: "2s",
      peak: 83,
      started_at: isoFromNs(epoch + second),
      link: `/recordings/${uid}?t=${isoFromNs(epoch + 3n * second)}`,
    });
    expect(evidence.leaves[0]).toMatchObject({ topic: "/motor/temp", holds: true, value: 83, threshold: 80 });
    expect(evidence.leaves[0]?.samples).toContainEqual([String(epoch + second), 81]);
  });

  test("has evidence in the stored shape that screens parse", async () => {
    const { body } = await request("GET", `/fleet/alerts/?recording_id=${uid}`, { key: org.key });
    const { evidence } = await createTrpcCaller(org).alerts.get({ uid: body.results[0]?.uid as string });
    expect(evidence).toMatchObject({ kind: "rule", rule_version: 1, window: "2s", suppressed: 0, storm: false });
    const [leaf] = evidence.kind === "rule" ? evidence.leaves : [];
    expect(leaf).toMatchObject({ type: "threshold", topic: "/motor/temp", field: "data.value", value: 83 });
  });

  test("has an event for each trigger, with the start and duration of its episode", async () => {
    const { body } = await request("GET", `/fleet/events/?recording_id=${uid}&order_by=timestamp`, { key: org.key });
    expect(body.results).toMatchObject([
      {
        type: "anomaly",
        severity: "error",
        label: "Motor too hot",
        timestamp: isoFromNs(epoch + second),
        duration_ms: 3000,
        metadata: { rule_id: ruleId, rule_version: 1, value: 83, peak: 83 },
      },
      { timestamp: isoFromNs(epoch + 5n * second), duration_ms: 4000, metadata: { value: 86, peak: 86 } },
    ]);
  });

  test("counts on its rule, and its evaluation records the result of each action", async () => {
    const rule = await getRule(org.ctx, ruleId);
    expect([rule.hit_count, rule.last_hit_at]).toEqual([2, isoFromNs(epoch + 7n * second)]);
    const { body } = await request("GET", `/fleet/rules/${ruleId}/evaluations/`, { key: org.key });
    expect(body.results).toMatchObject([
      {
        recording_id: uid,
        version: 1,
        status: "evaluated",
        hit_count: 2,
        action_results: [
          { type: "tag", ok: true },
          { type: "create_event", ok: true },
          { type: "flag_for_review", ok: true },
          { type: "notify", ok: true },
        ],
      },
    ]);
    const hits = await request("GET", `/fleet/rules/${ruleId}/hits/`, { key: org.key });
    expect(hits.body.results).toMatchObject([
      { recording_id: uid, triggered_ns: String(epoch + 7n * second), peak: 86 },
      { recording_id: uid, triggered_ns: String(epoch + 3n * second), peak: 83 },
    ]);
  });

  test("is the same when it is processed again, and notifications are not sent twice", async () => {
    const before = await readDerived(uid);
    expect(before.notifications).toBe(1);
    await reprocessRecording(org.ctx, uid);
    await runJobs();
    expect(await readDerived(uid)).toEqual(before);
    expect((await getRule(org.ctx, ruleId)).hit_count).toBe(2);
  });

  test("loses the results that a newer version of the rule no longer produces", async () => {
    const rule = await hot({ name: "Motor warm" });
    await reprocessRecording(org.ctx, uid);
    await runJobs();
    expect(await prisma.event.count({ where: { recordingId: uid, ruleId: rule.uid } })).toBe(2);
    await request("PATCH", `/fleet/rules/${rule.uid}/`, {
      key: org.key,
      body: { condition: { type: "threshold", topic: "/motor/temp", field: "data.value", operator: "gt", value: 99 } },
    });
    await reprocessRecording(org.ctx, uid);
    await runJobs();
    expect(await prisma.event.count({ where: { recordingId: uid, ruleId: rule.uid } })).toBe(0);
    expect(await prisma.alert.count({ where: { recordingId: uid, ruleId: rule.uid } })).toBe(0);
    const after = await getRule(org.ctx, rule.uid);
    expect([after.hit_count, after.last_hit_at, after.version]).toEqual([0, null, 2]);
  });
});

describe("the time of processing", () => {
  test("is kept with the recording", async () => {
    const uid = await processedRecording(org, deviceId, [await jsonRecording({ "/motor/temp": temperatures([1, 2]) })]);
    const { processing_seconds: seconds, processing_cpu_seconds: cpu } = await getRecording(org.ctx, uid);
    expect(seconds).toBeGreaterThan(0);
    expect(cpu).toBeGreaterThan(0);
  });

  test("decides who waits for whom: recordings up to 32 MB have jobs of their own", async () => {
    const uid = await uploadRecording(org, deviceId, [await jsonRecording({ "/motor/temp": temperatures([1, 2]) })]);
    const countJobs = async () => {
      const [large, small] = [jobs.processRecording, jobs.processSmallRecording];
      return [
        (await queuedJobs(large, { recordingId: uid })).length,
        (await queuedJobs(small, { recordingId: uid })).length,
      ];
    };
    expect(await countJobs()).toEqual([0, 1]);
    // The job of another size, such as of an earlier version, takes its place.
    await enqueueProcessing(org.ctx, { uid, sizeBytes: 32_000_001 });
    expect(await countJobs()).toEqual([1, 0]);
    await runJobs();
    expect((await getRecording(org.ctx, uid)).status).toBe("ready");
  });
});

describe("actions", () => {
  test("that fail do not affect others: a deleted channel is reported in the result", async () => {
    const deletedChannel = (await makeChannel(org, "webhook", { url: "https://receiver.example.com/gone" })).uid;
    const rule = await hot({
      name: "Gone",
      actions: [
        { type: "notify", channel_id: deletedChannel },
        { type: "tag", value: "still" },
      ],
    });
    await prisma.channel.delete({ where: { uid: deletedChannel } });
    const uid = await processedRecording(org, deviceId, [
      await jsonRecording({ "/motor/temp": temperatures(warmAndHot) }),
    ]);
    const recording = await prisma.recording.findUniqueOrThrow({ where: { uid } });
    expect([recording.status, recording.tags]).toEqual(["ready", expect.arrayContaining(["still"])]);
    const evaluation = await prisma.ruleEvaluation.findUnique({
      where: { ruleId_recordingId: { ruleId: rule.uid, recordingId: uid } },
    });
    expect(evaluation?.actionResults).toEqual([
      { type: "notify", ok: false, detail: "The channel does not exist any more." },
      { type: "tag", ok: true },
    ]);
    expect(await prisma.alert.count({ where: { ruleId: rule.uid, recordingId: uid } })).toBe(1);
  });

  test("of a rule without notify or flag_for_review open no alert", async () => {
    const rule = await hot({ name: "Quiet", actions: [{ type: "tag", value: "quiet" }] });
    const uid = await processedRecording(org, deviceId, [
      await jsonRecording({ "/motor/temp": temperatures(warmAndHot) }),
    ]);
    expect(await prisma.alert.count({ where: { ruleId: rule.uid, recordingId: uid } })).toBe(0);
  });
});

describe("a rule", () => {
  test("that is disabled, built in or out of scope is not evaluated", async () => {
    const other = await makeDevice(org, { tags: ["hall-2"] });
    const disabled = await hot({ enabled: false });
    const elsewhere = await hot({ scope: { tags: ["hall-1"] } });
    const here = await hot({ scope: { tags: ["hall-2"] } });
    const uid = await processedRecording(org, other.uid, [
      await jsonRecording({ "/motor/temp": temperatures(warmAndHot) }),
    ]);
    const rows = await prisma.ruleEvaluation.findMany({ where: { recordingId: uid }, select: { ruleId: true } });
    const evaluated = rows.map((row) => row.ruleId);
    expect(evaluated).toContain(here.uid);
    expect(evaluated).not.toContain(disabled.uid);
    expect(evaluated).not.toContain(elsewhere.uid);
    const builtin = await prisma.rule.findFirstOrThrow({
      where: { organizationId: org.uid, builtin: true, live: false },
    });
    expect(evaluated).not.toContain(builtin.uid);
  });

  test("on a topic that cannot be decoded is an error with the reason, and the recording is ready with a warning", async () => {
    const rule = await hot({ condition: { type: "threshold", topic: "/odd", field: "x", operator: "gt", value: 1 } });
    const channels = [{ topic: "/odd", messageEncoding: "thrift", schemaName: "", schemaEncoding: "", schema: "" }];
    const messages = [{ topic: "/odd", time: epoch, data: Buffer.from([1, 2, 3]) }];
    const uid = await processedRecording(org, deviceId, [
      await jsonRecording({ "/motor/temp": temperatures([1, 2, 3]) }, { more: { channels, messages } }),
    ]);
    const evaluation = await prisma.ruleEvaluation.findUnique({
      where: { ruleId_recordingId: { ruleId: rule.uid, recordingId: uid } },
    });
    expect([evaluation?.status, evaluation?.hitCount]).toEqual(["error", 0]);
    expect(evaluation?.reason).toMatch(/^\/odd cannot be decoded: /);
    const recording = await prisma.recording.findUniqueOrThrow({ where: { uid } });
    expect([recording.status, recording.topicCount]).toEqual(["ready", 2]);
    expect(recording.warnings).toEqual([expect.stringMatching(/^\/odd could not be decoded: /)]);
  });
});

describe("damage", () => {
  test("of a truncated file stores the readable part, with a gap and a warning", async () => {
    const complete = await jsonRecording(
      { "/motor/temp": temperatures(Array.from({ length: 5000 }, (_, at) => at % 7)) },
      { chunkBytes: 4096 },
    );
    const uid = await processedRecording(org, deviceId, [complete.subarray(0, Math.floor(complete.length / 2))]);
    const recording = await prisma.recording.findUniqueOrThrow({ where: { uid } });
    expect([recording.status, recording.truncated]).toEqual(["ready", true]);
    expect(Number(recording.messageCount)).toBeGreaterThan(500);
    expect(recording.warnings).not.toEqual([]);
    expect(recording.gaps).toEqual([expect.objectContaining({ kind: "truncated" })]);
  });

  test.each([
    { what: "nothing", bytes: Buffer.alloc(0), reason: /empty/ },
    { what: "an unknown format", bytes: Buffer.from("MZ this is a program"), reason: /neither an MCAP/ },
  ])("that leaves $what ends as an error with one line of reason", async ({ bytes, reason }) => {
    const uid = await processedRecording(org, deviceId, [bytes]);
    const recording = await prisma.recording.findUniqueOrThrow({ where: { uid } });
    expect([recording.status, recording.stage, recording.processedAt]).toEqual(["error", null, null]);
    expect(recording.errorMessage).toMatch(reason);
  });

  test("of texts that PostgreSQL cannot store does not fail a recording", async () => {
    const rule = await hot({ condition: { type: "pattern", topic: "/state", field: "text", regex: "bad" } });
    const uid = await processedRecording(org, deviceId, [
      await jsonRecording({
        "/state": [
          [0, { text: "bad\0\ud800" }],
          [1, { text: "ok" }],
        ],
      }),
    ]);
    const recording = await prisma.recording.findUniqueOrThrow({ where: { uid } });
    expect([recording.status, recording.errorMessage]).toEqual(["ready", null]);
    expect(await prisma.ruleHit.count({ where: { ruleId: rule.uid, recordingId: uid } })).toBe(1);
  });
});

describe("while it is processed, a recording", () => {
  test("that is archived is completed and stays archived", async () => {
    const uid = await uploadRecording(org, deviceId, [
      await jsonRecording({ "/motor/temp": temperatures(warmAndHot) }),
    ]);
    await request("PATCH", `/fleet/recordings/${uid}/`, { key: org.key, body: { status: "archived" } });
    await runJobs();
    const recording = await prisma.recording.findUniqueOrThrow({ where: { uid } });
    expect([recording.status, recording.topicCount, recording.processedAt]).toEqual(["archived", 1, expect.any(Date)]);
  });

  test("that is deleted leaves no rows behind", async () => {
    const uid = await uploadRecording(org, deviceId, [
      await jsonRecording({ "/motor/temp": temperatures(warmAndHot) }),
    ]);
    await request("DELETE", `/fleet/recordings/${uid}/`, { key: org.key });
    await runJobs();
    expect(await prisma.topic.count({ where: { recordingId: uid } })).toBe(0);
  });
});

describe("a recording whose stored file was damaged", () => {
  test.each([
    ["somewhere", -200],
    ["so that it cannot be read", 0],
  ])("becomes an error when it is processed again, and keeps what was read before: %s", async (_, at) => {
    const uid = await processedRecording(org, deviceId, [
      await jsonRecording({ "/motor/temp": temperatures([70, 90]) }),
    ]);
    const before = await readDerived(uid);
    const file = await prisma.storedFile.findFirstOrThrow({ where: { recordingId: uid } });
    const [stored = ""] = filesOfKey(file.storageKey);
    const bytes = fs.readFileSync(stored);
    const intact = Buffer.from(bytes);
    onTestFinished(() => fs.writeFileSync(stored, intact)); // other tests back up every file
    bytes.set([bytes.at(at)! ^ 1], at < 0 ? bytes.length + at : at);
    fs.writeFileSync(stored, bytes);
    await reprocessRecording(org.ctx, uid);
    await runJobs();
    const { status, errorMessage } = await prisma.recording.findUniqueOrThrow({ where: { uid } });
    expect([status, errorMessage]).toEqual(["error", expect.stringContaining(`"${file.path}" is damaged`)]);
    expect(await readDerived(uid)).toEqual(before);
    expect(before.topics.length).toBeGreaterThan(0);
  });
});

test("a recording says which lists keep no fields, and that processing it again brings more if an earlier version read it", async () => {
  const ranges = Array.from({ length: 720 }, (_, n) => n);
  const file = await jsonRecording({
    "/scan": [
      [0, { ranges }],
      [1, { ranges }],
    ],
  });
  const uid = await processedRecording(org, deviceId, [file]);
  const recording = await getRecording(org.ctx, uid);
  expect(recording.processed_by_earlier).toBe(false);
  expect(recording.topics).toMatchObject([{ fields: [], long_lists: [{ path: "ranges", elements: 720 }] }]);
  // As rows of before are after the migration.
  await prisma.recording.update({ where: { uid }, data: { processingVersion: null } });
  await prisma.topic.updateMany({ where: { recordingId: uid }, data: { longLists: [] } });
  expect((await getRecording(org.ctx, uid)).processed_by_earlier).toBe(true);
  await reprocessRecording(org.ctx, uid);
  expect((await getRecording(org.ctx, uid)).processed_by_earlier).toBe(false);
  await runJobs();
  const again = await getRecording(org.ctx, uid);
  expect([again.processed_by_earlier, again.topics[0]?.long_lists]).toEqual([false, recording.topics[0]?.long_lists]);
});
