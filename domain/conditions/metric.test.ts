import { describe, expect, test } from "vitest";
import type { Condition } from "@/domain/conditions/condition";
import { parseCondition } from "@/domain/conditions/condition-schema";
import { addMeanings, describeCondition, describeHit } from "@/domain/conditions/describe";
import type { JsonValue } from "@/domain/conditions/evidence";
import { evidenceTexts } from "@/domain/conditions/evidence-texts";
import { metricText, readGuess, type ReadMeaning } from "@/domain/conditions/metric";
import { getKind } from "@/domain/conditions/registry";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";

/** Conditions on heartbeats in words: by what metrics mean, never by their names and numbers alone. */

const topic = "@heartbeat";
const low = { type: "threshold", topic, field: "battery", operator: "lt", value: 0.2, window: "5m" };
const percent = { ...low, field: "battery_percent", value: 20 };
const silent = { type: "absence", topic, timeout: "2m" };
const few = { type: "frequency", topic, count_operator: "lt", count: 3, window: "2m" };
const fall = { type: "rate", topic, field: "battery", operator: "lt", value: -0.05, over: "1m" };
const fault = { type: "threshold", topic, field: "mode", operator: "eq", value: "fault", window: "1m30s" };

const evidence = (condition: Condition, value: JsonValue, read: ReadMeaning): LeafEvidence => {
  if (condition.type === "composite") throw new Error("a single condition is needed");
  const kind = getKind(condition);
  const leaf = {
    ...{ path: "", type: condition.type, topic, field: kind.reads(condition)?.field ?? null, holds: true, value },
    ...{ value_at: null, samples: [["0", 0.5]], ...kind.criterion(condition) },
  };
  return addMeanings({ condition }, [leaf as LeafEvidence], read)[0]!;
};
const hit = (json: unknown, value: JsonValue, read = readGuess): string => {
  const condition = parseCondition(json);
  return describeHit({ condition }, { evidence: { leaves: [evidence(condition, value, read)] } });
};
const named =
  (label: string): ReadMeaning =>
  (name, sample) => ({ ...readGuess(name, sample), label });

describe("a condition on heartbeats in words", () => {
  test.each([
    [low, "Battery below 20 % for 5 min"],
    [percent, "Battery below 20 % for 5 min"],
    [{ ...low, recover: { operator: "gte", value: 0.25 } }, "Battery below 20 % for 5 min until at least 25 %"],
    [{ ...low, operator: "outside", value: [20, 80] }, "Battery outside 20 % to 80 % for 5 min"],
    [{ ...low, field: "motor_temp_c", operator: "gt", value: 80 }, "Motor temp above 80 °C for 5 min"],
    [fault, "Mode is fault for 1 min 30 s"],
    [{ ...low, field: "charging", operator: "neq", value: true, window: undefined }, "Charging is not yes"],
    [{ ...silent, cooldown: "1h" }, "No heartbeat for 2 min, at most once in 1 h"],
    [few, "Fewer than 3 heartbeats in 2 min"],
    [
      { ...few, ...{ field: "battery", operator: "lt", value: 20 } },
      "Fewer than 3 heartbeats with Battery below 20 % in 2 min",
    ],
    [fall, "Battery falls faster than 0.05 per second over 1 min"],
    [{ ...fall, field: "battery_percent" }, "Battery falls faster than 0.05 % per second over 1 min"],
    [{ type: "pattern", topic, field: "mode", regex: "^fault" }, "Mode matches /^fault/"],
    [
      { type: "composite", operator: "or", conditions: [percent, low, silent] },
      "Battery below 20 % for 5 min or no heartbeat for 2 min",
    ],
  ])("%j", (condition, text) => expect(describeCondition(parseCondition(condition), readGuess)).toBe(text));

  test("has the label that an organization gave the metric", () => {
    expect(describeCondition(parseCondition(low), named("Main battery"))).toBe("Main battery below 20 % for 5 min");
  });
});

describe("an alert about heartbeats", () => {
  test.each([
    [low, 0.13, "Battery 13 % (below 20 % for 5 min)"],
    [percent, 13, "Battery 13 % (below 20 % for 5 min)"],
    // A value that is beyond a limit never reads like the limit.
    [percent, 19.96, "Battery 19.96 % (below 20 % for 5 min)"],
    [{ ...low, field: "motor_temp_c", operator: "gt", value: 80 }, 86.23, "Motor temp 86.2 °C (above 80 °C for 5 min)"],
    [fault, "fault", "Mode is fault for 1 min 30 s"],
    [{ ...fault, operator: "neq", value: "auto" }, "manual", "Mode is manual, not auto for 1 min 30 s"],
    [{ ...low, field: "charging", operator: "eq", value: false }, false, "Charging is no for 5 min"],
    [silent, 120, "No heartbeat for 2 min"],
    [few, 1, "1 heartbeat in 2 min (at least 3 expected)"],
    [few, 0, "No heartbeats in 2 min (at least 3 expected)"],
    [fall, -0.0612, "Battery falls 6.12 % per second (limit 5 % per second over 1 min)"],
    [{ type: "pattern", topic, field: "mode", regex: "^fault" }, "fault 7", "Mode is fault 7"],
  ])("%j at %j", (condition, value, text) => expect(hit(condition, value)).toBe(text));

  test("has the label that an organization gave the metric", () => {
    expect(hit(low, 0.13, named("Main battery"))).toBe("Main battery 13 % (below 20 % for 5 min)");
  });
});

test.each([
  [low, 0.13, { subject: "Battery", value: "13 %", unit: "" }, "below 20 % for 5 min"],
  [silent, 120, { subject: "Heartbeats", value: "120", unit: "s" }, "none for 2 min"],
  [few, 1, { subject: "Heartbeats", value: "1", unit: "heartbeats" }, "fewer than 3 in 2 min"],
  [fall, -0.06, { subject: "Battery", value: "-6", unit: "% per s" }, "falls faster than 5 % per second"],
  [fault, "fault", { subject: "Mode", value: "fault", unit: "" }, "is fault for 1 min 30 s"],
])("evidence of %j shows what was required and seen", (json, value, texts, required) => {
  const condition = parseCondition(json);
  const leaf = evidence(condition, value, readGuess);
  expect(evidenceTexts(leaf)).toEqual(texts);
  expect(getKind(leaf).describeEvidence(leaf)).toBe(required);
});

test("a metric is written by its meaning, whatever it is", () => {
  const gauge = { label: "Load", unit: "", kind: "gauge" } as const;
  expect([0.25, "0.25", true, "auto", null, [7, 8]].map((value) => metricText(value, gauge))).toEqual([
    "0.25",
    "0.25",
    "yes",
    "auto",
    "–",
    "7",
  ]);
});
