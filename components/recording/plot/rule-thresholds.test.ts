import { expect, test } from "vitest";
import type { Lanes } from "@/components/recording/session/query";
import { listRuleThresholds } from "./rule-thresholds";

const rule = (rule_id: string, field: string, ...thresholds: number[]): Lanes["rules"][number] => ({
  rule_id,
  rule_name: `Rule ${rule_id}`,
  version: 1,
  hit_count: 1,
  topic: "/motor",
  fields: [{ topic: "/motor", field, thresholds }],
  hits: [],
});
const alert: Lanes["alerts"][number] = {
  uid: "alert",
  rule_id: "b",
  rule_name: "Rule b",
  severity: "critical",
  status: "open",
  message: "",
  ranges: [],
};

test("a field has the thresholds of the rules that compared it, equal ones once", () => {
  const rules = [rule("a", "load", 80), rule("b", "load", -5, 95), rule("c", "load", 80), rule("d", "speed", 1)];
  expect(listRuleThresholds({ rules, alerts: [alert] }, "/motor.load")).toEqual([
    { value: 80, severity: "warning", label: "Rule a: 80" },
    { value: -5, severity: "critical", label: "Rule b: −5" },
    { value: 95, severity: "critical", label: "Rule b: 95" },
  ]);
  expect(listRuleThresholds({ rules, alerts: [] }, "/motor.current")).toEqual([]);
  expect(listRuleThresholds(undefined, "/motor.load")).toEqual([]);
});
