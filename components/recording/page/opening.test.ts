import { describe, expect, test } from "vitest";
import type { Lanes, RecordingTopic } from "@/components/recording/session/query";
import { findOpening } from "./opening";

const topic = (name: string, ...fields: string[]): RecordingTopic => ({
  name,
  schema: "",
  message_count: 1,
  frequency_hz: 1,
  encoding: "json",
  long_lists: [],
  error: null,
  fields: fields.map((path) => ({ path, kind: "number" })),
});
const topics = [topic("/motor", "temperature", "current"), topic("/camera"), topic("/joints", "effort[2]")];

const rule = (rule_id: string, of: string | null, ...fields: string[]): Lanes["rules"][number] => ({
  rule_id,
  rule_name: rule_id,
  version: 1,
  hit_count: 1,
  topic: of,
  fields: fields.map((field) => ({ topic: of ?? "", field, thresholds: [] })),
  hits: [],
});
const alert = (rule_id: string, at: number): Lanes["alerts"][number] => ({
  uid: `alt_${rule_id}`,
  rule_id,
  rule_name: rule_id,
  severity: "warning",
  status: "open",
  message: "",
  ranges: [{ from_ns: String(at), to_ns: String(at) }],
});

describe("a recording opens", () => {
  test("with the fields its rules compared, those of rules with an alert first, and on the alert's topic", () => {
    const rules = [rule("marks", "/joints", "effort[2]"), rule("hot", "/motor", "temperature")];
    expect(findOpening({ rules, alerts: [alert("hot", 5)] }, topics, 0n)).toEqual({
      plots: ["/motor.temperature", "/joints.effort[2]"],
      topic: "/motor",
      tab: "message",
    });
  });

  test("on the topic of the alert nearest to the moment that was linked, also of a rule without a field", () => {
    const rules = [rule("hot", "/motor", "temperature"), rule("silent", "/camera")];
    const lanes = { rules, alerts: [alert("hot", 5), alert("silent", 100)] };
    expect(findOpening(lanes, topics, 90n).topic).toBe("/camera");
    expect(findOpening(lanes, topics, 0n).topic).toBe("/motor");
  });

  test("on its events and without plots where no rule found anything, or what it compared is not in it", () => {
    expect(findOpening({ rules: [], alerts: [] }, topics, 0n)).toEqual({ plots: [], topic: null, tab: "events" });
    expect(findOpening(undefined, topics, 0n).tab).toBe("events");
    expect(findOpening({ rules: [rule("hot", "/motor", "gone")], alerts: [] }, topics, 0n).plots).toEqual([]);
  });
});
