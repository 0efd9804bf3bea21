import { describe, expect, test } from "vitest";
import { conditionSchema, parseCondition } from "@/domain/conditions/condition-schema";
import { topicMatcher } from "@/domain/conditions/expressions";
import { heartbeatTopic as topic, readsHeartbeats } from "@/domain/conditions/heartbeat";
import { issueLine, toIssues } from "@/domain/issues";
import { listUnfitActions } from "@/domain/rules/actions";

const errors = (json: unknown): string[] => {
  const result = conditionSchema.safeParse(json);
  return result.success ? [] : toIssues(result.error.issues).map(issueLine);
};
const low = { type: "threshold", topic, field: "battery", operator: "lt", value: 20 };
const few = { type: "frequency", topic, count_operator: "lt", count: 3, window: "2m" };
const fall = { type: "rate", topic, field: "battery", operator: "lt", value: -0.1 };
const recorded = { type: "absence", topic: "/cam", timeout: "5s" };
const all = (...conditions: unknown[]) => ({ type: "composite", operator: "and", conditions });

describe("a condition on heartbeats", () => {
  test.each(["battery", "disk.free_gb", "disk..x", ".a", "a-b", "0", "constructor", "a".repeat(64)])(
    "names a metric as it is: %s",
    (field) => expect(errors({ ...low, field })).toEqual([]),
  );
  test.each(["a[0]", "a b", 'values{key=="temp"}.value', "/@heartbeat.battery", "ä", "a".repeat(65)])(
    "names no path: %s",
    (field) => {
      const message = "field: Name one metric: up to 64 letters, digits, dots, hyphens and underscores.";
      expect(errors({ ...low, field })).toEqual([message]);
      expect(errors(all({ ...few, field, operator: "gt", value: 1 }))).toEqual([`conditions.0.${message}`]);
    },
  );
  test("is combined with others on heartbeats only", () => {
    expect(errors(all(low, few, fall))).toEqual([]);
    const refusal = "Conditions on @heartbeat cannot be combined with conditions on topics of recordings.";
    expect(errors(all(low, recorded))).toEqual([refusal]);
    expect(errors(all(recorded, all(recorded, all(low))))).toEqual([refusal]);
  });
  test("counts few enough heartbeats, and looks back so far, that the state of each device is small", () => {
    expect(errors(all({ ...few, count: 900 }, { ...few, count: 100 }))).toEqual([]);
    const tooMany = "A rule on @heartbeat can count at most 1000 heartbeats in all.";
    expect(errors({ ...few, count: 1_001 })).toEqual([tooMany]);
    expect(errors(all({ ...few, count: 900 }, { ...few, count: 101 }))).toEqual([tooMany]);
    expect(errors({ ...few, topic: "/errors", count: 100_000 })).toEqual([]);
    expect(errors({ ...fall, over: "60m" })).toEqual([]);
    expect(errors({ ...fall, over: "61m" })).toEqual(["On @heartbeat, `over` can be at most 1h."]);
    expect(errors({ ...fall, topic: "/power", over: "61m" })).toEqual([]);
  });
  test("is recognized wherever it stands", () => {
    expect(readsHeartbeats(parseCondition(all(all(low))))).toBe(true);
    expect(readsHeartbeats(parseCondition(all(recorded, { ...low, topic: "heartbeat" })))).toBe(false);
  });
  test("can only notify and flag for review", () => {
    const actions = ["notify", "tag", "flag_for_review", "create_event", "auto_label"].map((type) => ({ type }));
    const message = "A rule on @heartbeat can only notify or flag_for_review.";
    expect(listUnfitActions(parseCondition(all(low)), actions)).toEqual(
      [1, 3, 4].map((index) => ({ path: ["actions", index, "type"], message })),
    );
    expect(listUnfitActions(parseCondition(recorded), actions)).toEqual([]);
  });
});

test("no glob matches the heartbeats of a device", () => {
  for (const glob of ["*", "**", "@*", "@heartbeat*"]) expect(topicMatcher(glob)(topic)).toBe(false);
  expect(topicMatcher("@*")("@other")).toBe(true);
  expect(topicMatcher(topic)(topic)).toBe(true);
});
