import { beforeAll, describe, expect, test } from "vitest";
import { createEvent } from "@/server/features/events/write-service";
import { createRule } from "@/server/features/rules/service";
import { prisma } from "@/server/platform/db";
import { newUid } from "@/server/platform/uid";
import { recordingEvents, recordingLanes } from "@/server/read-models/recordings/lanes";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { epoch, jsonRecording, processedRecording, second, temperatures } from "@/server/testing/processing";

let org: TestOrganization;
let other: TestOrganization;
let deviceId: string;
let uid: string;
let ruleId: string;

beforeAll(async () => {
  [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);
  deviceId = (await makeDevice(org)).uid;
  const rule = await createRule(org.ctx, {
    name: "Hot",
    condition: { type: "threshold", topic: "/motor/temp", field: "data.value", operator: "gt", value: 80 },
    actions: [{ type: "flag_for_review" }, { type: "create_event", event_type: "warning", label: "hot" }],
  });
  ruleId = rule.uid;
  uid = await processedRecording(org, deviceId, [
    await jsonRecording({ "/motor/temp": temperatures([70, 90, 70, 91, 70]) }),
  ]);
});

const at = (seconds: number): string => String(epoch + BigInt(seconds) * second);

describe("the lanes of a recording", () => {
  test("return the hits of a rule, and its alert with the same ranges", async () => {
    const { alerts, rules } = await recordingLanes(org.ctx, uid);
    const ranges = [
      { from_ns: at(1), to_ns: at(2) },
      { from_ns: at(3), to_ns: at(4) },
    ];
    expect(rules).toMatchObject([
      {
        rule_id: ruleId,
        rule_name: "Hot",
        version: 1,
        hit_count: 2,
        topic: "/motor/temp",
        fields: [{ topic: "/motor/temp", field: "data.value", thresholds: [80] }],
        hits: [
          { ...ranges[0], at_ns: at(1), peak: 90 },
          { ...ranges[1], at_ns: at(3), peak: 91 },
        ],
      },
    ]);
    expect(alerts).toMatchObject([{ rule_id: ruleId, rule_name: "Hot", severity: "warning", status: "open", ranges }]);
  });

  test("are not found by another organization", async () => {
    await expect(recordingLanes(other.ctx, uid)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("the events of a recording", () => {
  test("are those that start in a range or extend into it, in order of time", async () => {
    const made = { recording_id: uid, type: "info" as const, tags: ["seen"] };
    await createEvent(org.ctx, { ...made, label: "long", timestamp: epoch, duration_ms: 3_500 });
    await createEvent(org.ctx, { ...made, label: "over", timestamp: epoch, duration_ms: 500 });
    const { events, total, buckets } = await recordingEvents(org.ctx, uid, { from: epoch + (5n * second) / 2n });
    expect(
      events.map(({ label, source, at_ns, duration_ns, tags }) => [label, source, at_ns, duration_ns, tags]),
    ).toEqual([
      ["long", "user", at(0), "3500000000", ["seen"]],
      ["hot", "rule", at(3), "1000000000", []],
    ]);
    expect([total, buckets]).toEqual([2, null]);
  });

  test("beyond a thousand are counted by type in equal intervals", async () => {
    const startNs = 1_000n;
    const { uid: recordingId } = await makeRecording(org, deviceId, { startNs, endNs: startNs + 2_399n });
    await prisma.event.createMany({
      data: Array.from({ length: 1_200 }, (_, n) => ({
        uid: newUid("event"),
        organizationId: org.uid,
        recordingId,
        deviceId,
        type: n % 2 === 0 ? "info" : "error",
        severity: "info",
        label: String(n),
        source: "user",
        createdById: org.owner.uid,
        timestampNs: startNs + BigInt(n) * 2n,
      })),
    });
    const { events, total, buckets } = await recordingEvents(org.ctx, recordingId, {});
    expect([events, total]).toEqual([[], 1_200]);
    expect(buckets?.length).toBe(480);
    expect(buckets?.slice(0, 2)).toEqual([
      { at_ns: "1000", type: "error", count: 2 },
      { at_ns: "1000", type: "info", count: 3 },
    ]);
  });
});
