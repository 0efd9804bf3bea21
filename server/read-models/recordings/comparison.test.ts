import { beforeAll, describe, expect, test } from "vitest";
import type { TestChannel, TestMessage } from "@/engine/testing/write-mcap";
import { createEvent } from "@/server/features/events/write-service";
import { createRule } from "@/server/features/rules/service";
import { prisma } from "@/server/platform/db";
import { findAnchors } from "@/server/read-models/recordings/anchors";
import { compareRecordings } from "@/server/read-models/recordings/comparison";
import { findLastGoodRun } from "@/server/read-models/recordings/good-run";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { epoch, jsonRecording, processedRecording, second, temperatures } from "@/server/testing/processing";

let org: TestOrganization;
let other: TestOrganization;
let deviceId: string;
let a: string;
let b: string;
let ruleId: string;

const json = (topic: string, schemaName: string, properties: object): TestChannel => ({
  topic,
  messageEncoding: "json",
  schemaName,
  schemaEncoding: "jsonschema",
  schema: JSON.stringify({ type: "object", properties }),
});

/** A log with a line of each of these levels, one each second. */
const log = (levels: readonly number[]): { channels: TestChannel[]; messages: TestMessage[] } => ({
  channels: [json("/rosout", "rcl_interfaces/msg/Log", { level: { type: "integer" }, msg: { type: "string" } })],
  messages: levels.map((level, at) => ({
    topic: "/rosout",
    time: epoch + BigInt(at) * second,
    data: Buffer.from(JSON.stringify({ level, msg: `line ${at}` })),
  })),
});

/** So many values each second, without those in a hole. */
const track = (seconds: number, hz: number, value: (at: number) => number, hole: [number, number] = [0, 0]) =>
  Array.from({ length: seconds * hz + 1 }, (_, n) => n / hz)
    .filter((at) => at <= hole[0] || at >= hole[1])
    .map((at): [number, unknown] => [at, { data: { value: value(at) } }]);

beforeAll(async () => {
  [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);
  deviceId = (await makeDevice(org)).uid;
  const rule = await createRule(org.ctx, {
    name: "Hot",
    condition: { type: "threshold", topic: "/motor/temp", field: "data.value", operator: "gt", value: 80 },
    actions: [{ type: "flag_for_review" }],
  });
  ruleId = rule.uid;
  a = await processedRecording(org, deviceId, [
    await jsonRecording(
      {
        "/motor/temp": temperatures([20, 30, 40, 50, 60, 70, 60, 50, 40, 30, 20]),
        "/same": track(10, 10, (at) => at),
        "/rate": track(10, 10, () => 1),
        "/left": track(10, 1, () => 1),
        "/silent": track(10, 20, () => 1),
      },
      { more: log([20, 20, 20, 30]) },
    ),
  ]);

  b = await processedRecording(org, deviceId, [
    await jsonRecording(
      {
        "/motor/temp": temperatures([40, 50, 60, 70, 80, 90, 80, 70, 60, 50, 40]),
        "/same": track(10, 10, (at) => at),
        "/rate": track(10, 8, () => 1),
        "/right": track(10, 1, () => 1),
        "/silent": track(10, 20, () => 1, [4, 7]),
      },
      { more: log([20, 30, 40, 40]) },
    ),
  ]);
  await prisma.topic.update({
    where: { recordingId_name: { recordingId: b, name: "/same" } },
    data: { schemaName: "json/other" },
  });
});

describe("two recordings", () => {
  test("differ in topics, schemas, rates, silences, levels of logs, alerts and values", async () => {
    const found = await compareRecordings(org.ctx, { a, b });
    expect(found).toMatchObject({
      common_topics: 5,
      only_a: { rows: [{ topic: "/left", schema: "json/left", message_count: 11 }], total: 1 },
      only_b: { rows: [{ topic: "/right", message_count: 11 }], total: 1 },
      schemas: { rows: [{ topic: "/same", a: "json/same", b: "json/other" }], total: 1 },
      gaps: { a: { count: 0, seconds: 0 }, b: { count: 0, seconds: 0 } },
      levels: {
        a: { debug: 0, info: 3, warning: 1, error: 0, fatal: 0, unknown: 0 },
        b: { debug: 0, info: 1, warning: 1, error: 2, fatal: 0, unknown: 0 },
      },
      alerts: [{ rule_id: ruleId, rule_name: "Hot", severity: "warning", a: 0, b: 1 }],
    });
    expect(found.rates.rows.map(({ topic, a: one, b: next }) => [topic, one, next])).toEqual([
      ["/rate", 10, 8],
      ["/silent", 20, 14.1],
    ]);
    const [silence] = found.silences.rows;
    expect([found.silences.total, silence?.topic, silence?.a]).toEqual([1, "/silent", { count: 0, seconds: 0 }]);
    expect(silence?.b.count).toBe(1);
    expect(Math.abs((silence?.b.seconds ?? 0) - 3)).toBeLessThan(0.2);
    const moved = found.fields.rows.find(({ topic }) => topic === "/motor/temp");
    // Over 70 degrees in all, both the median and the highest moved by 20.
    expect(moved).toMatchObject({ field: "data.value", a: { p50: 40, p99: 70 }, b: { p50: 60, p99: 90 } });
    expect(moved?.moved).toBeCloseTo(20 / 70);
    expect(found.fields.rows.map(({ topic }) => topic)).not.toContain("/same");
  });

  test("of which one is another organization's are not found", async () => {
    const device = await makeDevice(other);
    const foreign = (await makeRecording(other, device.uid)).uid;
    for (const pair of [
      { a, b: foreign },
      { a: foreign, b: a },
    ]) {
      await expect(compareRecordings(org.ctx, pair)).rejects.toMatchObject({ code: "not_found" });
      await expect(findAnchors(org.ctx, pair)).rejects.toMatchObject({ code: "not_found" });
    }
    await expect(compareRecordings(other.ctx, { a, b })).rejects.toMatchObject({ code: "not_found" });
  });

  test("are aligned by the first events of a label and the first alerts of a rule that both have", async () => {
    const event = (recording: string, label: string, seconds: number) =>
      createEvent(org.ctx, {
        recording_id: recording,
        type: "info",
        label,
        timestamp: epoch + BigInt(seconds) * second,
      });
    await event(a, "pick", 3);
    await event(a, "pick", 2);
    await event(b, "pick", 5);
    await event(a, "drop", 4);
    const c = await processedRecording(org, deviceId, [
      await jsonRecording({ "/motor/temp": temperatures([20, 90, 20]) }),
    ]);
    const at = (seconds: number) => String(epoch + BigInt(seconds) * second);
    expect(await findAnchors(org.ctx, { a, b })).toEqual({
      events: [{ label: "pick", a: at(2), b: at(5) }],
      alerts: [],
    });
    const { alerts } = await findAnchors(org.ctx, { a: b, b: c });
    expect(alerts).toMatchObject([{ rule_name: "Hot", a: at(5), b: at(1) }]);
  });
});

describe("the last good run of an alert", () => {
  const makeRun = (name: string, minutes: number, more: object = {}) =>
    makeRecording(org, deviceId, {
      name,
      messageCount: 1n,
      startedAt: new Date(Number((epoch + BigInt(minutes) * 60n * second) / 1_000_000n)),
      ...more,
    });
  const findAlertIn = async (recordingId: string) =>
    (await prisma.alert.findFirstOrThrow({ where: { recordingId } })).uid;

  test("is the newest earlier recording of its device that is ready and has no alert of its rule", async () => {
    const alert = await findAlertIn(b);
    await prisma.recording.update({ where: { uid: a }, data: { status: "archived" } });
    expect(await findLastGoodRun(org.ctx, alert)).toBeNull();
    await makeRun("good but older", -20);
    const good = await makeRun("good", -10);
    await makeRun("not ready", -5, { status: "processing" });
    await makeRun("later", 5);
    await makeRecording(org, (await makeDevice(org)).uid, { messageCount: 1n, startedAt: new Date(0) });
    const bad = await makeRun("bad", -1);
    const { uid: _, ...same } = await prisma.alert.findFirstOrThrow({ where: { recordingId: b } });
    await prisma.alert.create({
      data: {
        ...same,
        uid: `${alert.slice(0, -4)}0000`,
        evidence: {},
        recordingId: bad.uid,
        dedupeKey: `of ${bad.uid}`,
      },
    });
    expect(await findLastGoodRun(org.ctx, alert)).toEqual({ uid: good.uid, name: "good" });
  });

  test("is not found by another organization", async () => {
    await expect(findLastGoodRun(other.ctx, await findAlertIn(b))).rejects.toMatchObject({ code: "not_found" });
  });
});
