import { beforeAll, describe, expect, test } from "vitest";
import type { PreviewResult } from "@/domain/rules/preview";
import type { PreviewRunResource, RunResource } from "@/server/features/rules/resource";
import { createRule } from "@/server/features/rules/service";
import { prisma } from "@/server/platform/db";
import { newUid } from "@/server/platform/uid";
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
import { createTrpcCaller, request } from "@/server/testing/requests";

let org: TestOrganization;
let one: string;
let two: string;
let first: string;
let later: string;
let other: string;

const hot = { type: "threshold", topic: "/motor/temp", field: "data.value", operator: "gt", value: 80 } as const;

beforeAll(async () => {
  org = await makeOrganization();
  [one, two] = [(await makeDevice(org, { tags: ["hall-1"] })).uid, (await makeDevice(org)).uid];
  first = await processedRecording(org, one, [
    await jsonRecording({ "/motor/temp": temperatures([79, 81, 82, 83, 79, 81]) }),
  ]);
  later = await processedRecording(org, one, [await jsonRecording({ "/motor/temp": temperatures([70, 70, 95, 70]) })]);
  other = await processedRecording(org, two, [await jsonRecording({ "/arm": temperatures([1, 2]) })]);
});

const listRecordingIds = ({ recordings }: PreviewResult): string[] =>
  recordings.map((recording) => recording.recording_id);
const preview = <T = PreviewResult>(body: unknown, key = org.key) =>
  request<T>("POST", "/fleet/rules/preview/", { key, body });

describe("a preview", () => {
  test("returns at most as many hits of each recording as wanted, and counts all", async () => {
    const { body } = await preview({ condition: hot, max_hits: 1 });
    expect(body.recordings.map(({ hit_count, hits }) => [hit_count, hits.length])).toEqual([
      [0, 0],
      [1, 1],
      [2, 1],
    ]);
  });

  test("covers what was recorded last, though it was uploaded earlier", async () => {
    const place = await makeOrganization();
    const { uid: device } = await makeDevice(place);
    const bytes = await jsonRecording({ "/motor/temp": temperatures([79, 81]) });
    const recorded: string[] = [];
    for (const day of [15, 18, 14]) {
      const uid = await processedRecording(place, device, [bytes]);
      const startedAt = new Date(Date.UTC(2026, 10, day));
      await prisma.recording.update({ where: { uid }, data: { startedAt } });
      recorded.push(uid);
    }
    const [fifteenth, eighteenth, fourteenth] = recorded;
    const inOrder = [eighteenth, fifteenth, fourteenth];
    const all = await preview({ condition: hot }, place.key);
    expect(listRecordingIds(all.body)).toEqual(inOrder);
    const scoped = await preview({ condition: hot, scope: { device_ids: [device] } }, place.key);
    expect(listRecordingIds(scoped.body)).toEqual(inOrder);
    const since = await preview({ condition: hot, since: "2026-11-15T00:00:00Z" }, place.key);
    expect(listRecordingIds(since.body)).toEqual([eighteenth, fifteenth]);
  });

  test("leaves the demo fleet out in the dashboard once there is an own device, unless its devices are named", async () => {
    const place = await makeOrganization();
    const trpc = createTrpcCaller(place);
    const [own, demo] = [await makeDevice(place), await makeDevice(place)];
    const bytes = await jsonRecording({ "/motor/temp": temperatures([79, 81]) });
    const mine = await processedRecording(place, own.uid, [bytes]);
    const shown = await processedRecording(place, demo.uid, [bytes]);
    await prisma.device.update({ where: { uid: demo.uid }, data: { demo: true } });
    await prisma.recording.update({ where: { uid: shown }, data: { demo: true } });
    const list = async (scope: object | null) => {
      const answer = await trpc.rules.preview({ condition: hot, scope });
      return "recordings" in answer ? listRecordingIds(answer) : answer;
    };
    expect(await list(null)).toEqual([mine]);
    expect(await list({ device_ids: [demo.uid] })).toEqual([shown]);
    expect(listRecordingIds((await preview({ condition: hot }, place.key)).body)).toHaveLength(2);
    await prisma.device.delete({ where: { uid: own.uid } });
    expect(await list(null)).toContain(shown);
  });

  test("covers the newest recordings in scope, newest first, and changes nothing", async () => {
    const { status, body } = await preview({ condition: hot });
    expect(status).toBe(200);
    expect(body.recordings.map((r) => [r.recording_id, r.status, r.hit_count])).toEqual([
      [other, "not_applicable", 0],
      [later, "evaluated", 1],
      [first, "evaluated", 2],
    ]);
    expect(body).toMatchObject({
      hit_count: 3,
      device_count: 1,
      devices_total: 2,
      hits_per_day: 3,
      condition_text: "/motor/temp data.value > 80",
      example_message: "Motor temp 95 (limit 80)",
    });
    expect(body.recordings[2]?.hits[0]).toMatchObject({
      triggered_ns: String(epoch + second),
      peak: 83,
      evidence: { topic: "/motor/temp" },
    });
    expect(body.recordings[0]?.reason).toMatch(/not in the recording/);
    expect(await prisma.ruleEvaluation.count({ where: { organizationId: org.uid } })).toBe(0);
    expect(await prisma.alert.count({ where: { organizationId: org.uid } })).toBe(0);
  });

  test.each([
    ["a threshold with a window", { ...hot, window: "2s" }],
    ["a glob", { ...hot, topic: "/*/temp" }],
    ["an absence", { type: "absence", topic: "/never", timeout: "2s" }],
    ["a frequency", { type: "frequency", topic: "/motor/temp", count_operator: "gt", count: 2, window: "3s" }],
    [
      "a counted field",
      {
        type: "frequency",
        topic: "/motor/temp",
        field: "data.value",
        operator: "gt",
        value: 80,
        count_operator: "gte",
        count: 2,
        window: "10s",
      },
    ],
    ["a pattern", { type: "pattern", topic: "/motor/temp", field: "data.value", regex: "^8[12]$" }],
    ["a composite", { type: "composite", operator: "or", conditions: [hot, { ...hot, operator: "lt", value: 75 }] }],
    ["a field that is not there", { ...hot, field: "data.missing" }],
  ])("of %s finds exactly what processing finds", async (_what, condition) => {
    const own = await makeOrganization();
    const device = await makeDevice(own);
    const rule = await createRule(own.ctx, {
      name: "r",
      condition: condition as never,
      actions: [{ type: "tag", value: "x" }],
    });
    const uid = await processedRecording(own, device.uid, [
      await jsonRecording({ "/motor/temp": temperatures([70, 81, 82, 83, 70, 81, 95, 96]) }),
    ]);
    const stored = await prisma.ruleEvaluation.findUniqueOrThrow({
      where: { ruleId_recordingId: { ruleId: rule.uid, recordingId: uid } },
      include: { hits: { orderBy: { position: "asc" } } },
    });
    // Once from the file, once from the samples that the first preview cached.
    for (let time = 0; time < 2; time++) {
      const { body } = await preview({ condition, recordings: [uid] }, own.key);
      const [previewed] = body.recordings;
      expect([previewed?.status, previewed?.reason ?? ""]).toEqual([stored.status, stored.reason]);
      expect(previewed?.hits.map((hit) => [hit.triggered_ns, hit.peak])).toEqual(
        stored.hits.map((hit) => [String(hit.triggeredNs), hit.peak]),
      );
      const { value: _, ...evidence } = (stored.hits[0]?.evidence ?? { value: 0 }) as Record<string, unknown>;
      expect(previewed?.hits[0]?.evidence ?? {}).toEqual(evidence);
    }
  });

  test("is limited to its scope and to the recordings named", async () => {
    expect(listRecordingIds((await preview({ condition: hot, scope: { tags: ["hall-1"] } })).body)).toEqual([
      later,
      first,
    ]);
    expect(listRecordingIds((await preview({ condition: hot, scope: { device_ids: [two] } })).body)).toEqual([other]);
    expect(listRecordingIds((await preview({ condition: hot, recordings: [first, other] })).body)).toEqual([
      other,
      first,
    ]);
    expect(listRecordingIds((await preview({ condition: hot, since: "2100-01-01T00:00:00Z" })).body)).toEqual([]);
    expect(listRecordingIds((await preview({ condition: hot, until: "2100-01-01T00:00:00Z" })).body)).toEqual([
      other,
      later,
      first,
    ]);
  });

  test("compares with a saved rule: new, kept and lost", async () => {
    const own = await makeOrganization();
    const device = await makeDevice(own);
    const uid = await processedRecording(own, device.uid, [
      await jsonRecording({ "/motor/temp": temperatures([70, 85, 70, 95, 70, 75, 70]) }),
    ]);
    const rule = await createRule(own.ctx, {
      name: "r",
      condition: { ...hot, operator: "between", value: [74, 90] },
      actions: [{ type: "tag", value: "x" }],
    });
    const { body } = await preview({ condition: hot, recordings: [uid], rule_id: rule.uid }, own.key);
    expect(body.compare).toEqual({ rule_id: rule.uid, version: 1, new_count: 1, lost_count: 1, kept_count: 1 });
    expect(body.recordings[0]?.hits.map((hit) => hit.change)).toEqual(["kept", "new"]);
    expect(body.recordings[0]?.lost?.map((span) => span.triggered_ns)).toEqual([String(epoch + 5n * second)]);
  });

  test("reports a recording that is not processed", async () => {
    const waiting = await uploadRecording(org, two, [await jsonRecording({ "/motor/temp": temperatures([1]) })]);
    const { body } = await preview({ condition: hot, recordings: [waiting] });
    expect(body.recordings).toMatchObject([
      { recording_id: waiting, status: "error", reason: "The recording is not processed yet.", hits: [] },
    ]);
    await runJobs();
  });

  test("refuses objects of another organization", async () => {
    const foreign = await makeOrganization();
    const device = await makeDevice(foreign);
    const recording = await processedRecording(foreign, device.uid, [
      await jsonRecording({ "/motor/temp": temperatures([99]) }),
    ]);
    const rule = await createRule(foreign.ctx, { name: "r", condition: hot, actions: [{ type: "tag", value: "x" }] });
    for (const [field, body] of [
      ["recordings", { recordings: [recording] }],
      ["recordings", { recordings: [newUid("recording")] }],
      ["rule_id", { rule_id: rule.uid }],
      ["condition", { condition: { type: "odd" } }],
      ["recordings", { recordings: [first], since: "2020-01-01T00:00:00Z" }],
    ] as const) {
      const response = await preview<Record<string, unknown>>({ condition: hot, ...body });
      expect([response.status, Object.keys(response.body)]).toEqual([400, [field]]);
    }
    expect(listRecordingIds((await preview({ condition: hot, scope: { device_ids: [device.uid] } })).body)).toEqual([]);
  });

  test("of more than 20 recordings becomes a run with the same result", async () => {
    const own = await makeOrganization();
    const device = await makeDevice(own);
    const bytes = await jsonRecording({ "/motor/temp": temperatures([70, 90]) });
    const uids: string[] = [];
    for (let count = 0; count < 21; count++) uids.push(await uploadRecording(own, device.uid, [bytes]));
    await runJobs();
    const immediate = await preview({ condition: hot }, own.key);
    expect([immediate.status, immediate.body.recordings.length]).toEqual([200, 20]);

    const started = await preview<{ run_uid: string }>({ condition: hot, recordings: uids }, own.key);
    expect([started.status, Object.keys(started.body)]).toEqual([202, ["run_uid"]]);
    const at = `/fleet/rules/preview-runs/${started.body.run_uid}/`;
    const read = async () => (await request<PreviewRunResource>("GET", at, { key: own.key })).body;
    expect(await read()).toMatchObject({ kind: "preview", status: "pending", progress: 0, total: 21, result: null });
    await runJobs();
    const run = await read();
    expect(run).toMatchObject({
      status: "done",
      progress: 1,
      processed: 21,
      hit_count: 21,
      result: { hit_count: 21, device_count: 1 },
    });
    expect(listRecordingIds(run.result!)).toEqual([...uids].sort().reverse());
    expect((await request("GET", at, { key: org.key })).status).toBe(404);
  });
});

describe("a run over past recordings", () => {
  test("has the results of processing, opens alerts and sends no messages", async () => {
    const own = await makeOrganization();
    const device = await makeDevice(own);
    const channel = await makeChannel(own, "webhook", { url: "https://receiver.example.com/x" });
    const bytes = await jsonRecording({ "/motor/temp": temperatures([70, 90, 70, 91]) });
    const uids = [
      await processedRecording(own, device.uid, [bytes]),
      await processedRecording(own, device.uid, [bytes]),
    ];
    const { uid } = await createRule(own.ctx, {
      name: "r",
      condition: hot,
      actions: [
        { type: "notify", channel_id: channel.uid },
        { type: "create_event", event_type: "warning", label: "hot" },
        { type: "tag", value: "hot" },
      ],
    });
    const run = async (body: unknown = {}) => {
      const started = await request<{ run_uid: string }>("POST", `/fleet/rules/${uid}/run/`, { key: own.key, body });
      expect(started.status).toBe(202);
      await runJobs();
      return (await request<RunResource>("GET", `/fleet/rules/${uid}/runs/${started.body.run_uid}/`, { key: own.key }))
        .body;
    };
    expect(await run({ recordings: [uids[0]] })).toMatchObject({
      kind: "apply",
      status: "done",
      total: 1,
      processed: 1,
      hit_count: 2,
      rule_version: 1,
    });
    expect(await run()).toMatchObject({ status: "done", total: 2, processed: 2, hit_count: 4 });
    const rule = (await request("GET", `/fleet/rules/${uid}/`, { key: own.key })).body;
    expect(rule.hit_count).toBe(4);
    expect(await prisma.alert.count({ where: { ruleId: uid } })).toBe(2);
    expect(await prisma.notification.count({ where: { channelId: channel.uid } })).toBe(0);
    expect(await prisma.event.count({ where: { ruleId: uid } })).toBe(4);
    const evaluations = await request("GET", `/fleet/rules/${uid}/evaluations/`, { key: own.key });
    expect(evaluations.body.results[0]?.action_results).toContainEqual({
      type: "notify",
      ok: true,
      detail: "Not sent: the rule was applied to the past.",
    });
  });

  test("continues after its worker was killed, and counts nothing twice", async () => {
    const own = await makeOrganization();
    const device = await makeDevice(own);
    const bytes = await jsonRecording({ "/motor/temp": temperatures([70, 90]) });
    const uids: string[] = [];
    for (let count = 0; count < 3; count++) uids.push(await processedRecording(own, device.uid, [bytes]));
    const { uid } = await createRule(own.ctx, { name: "r", condition: hot, actions: [{ type: "tag", value: "x" }] });
    const started = await request<{ run_uid: string }>("POST", `/fleet/rules/${uid}/run/`, { key: own.key, body: {} });
    // The state that a kill after the first recording's commit leaves.
    await prisma.ruleRun.update({
      where: { uid: started.body.run_uid },
      data: { status: "running", processed: 1, hitCount: 1, result: { cursor: uids[2]! } },
    });
    await runJobs();
    const run = await request<RunResource>("GET", `/fleet/rules/${uid}/runs/${started.body.run_uid}/`, {
      key: own.key,
    });
    expect(run.body).toMatchObject({ status: "done", processed: 3, hit_count: 3, progress: 1 });
    expect(await prisma.ruleEvaluation.count({ where: { ruleId: uid } })).toBe(2);
  });

  test("leaves the results of a newer version", async () => {
    const own = await makeOrganization();
    const device = await makeDevice(own);
    const { uid } = await createRule(own.ctx, { name: "r", condition: hot, actions: [{ type: "tag", value: "x" }] });
    await request("PATCH", `/fleet/rules/${uid}/`, { key: own.key, body: { condition: { ...hot, value: 95 } } });
    const recording = await uploadRecording(own, device.uid, [
      await jsonRecording({ "/motor/temp": temperatures([70, 90]) }),
    ]);
    await runJobs();
    // A run that was started before the change and executes after it.
    const late = await request<{ run_uid: string }>("POST", `/fleet/rules/${uid}/run/`, { key: own.key, body: {} });
    await prisma.ruleRun.update({ where: { uid: late.body.run_uid }, data: { ruleVersion: 1 } });
    await runJobs();
    const evaluation = await prisma.ruleEvaluation.findUniqueOrThrow({
      where: { ruleId_recordingId: { ruleId: uid, recordingId: recording } },
    });
    expect([evaluation.version, evaluation.hitCount]).toEqual([2, 0]);
  });
});
