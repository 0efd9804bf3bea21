import { describe, expect, test } from "vitest";
import type { Judgement } from "@/domain/rules/judgements";
import { suggestByOutcomes, tally, toJudgements } from "./outcomes";

const over = { type: "threshold" as const, topic: "/motor", field: "temperature", operator: "gt", value: 65 };
const recording = (uid: string, peaks: readonly (number | null)[], status: "evaluated" | "error" = "evaluated") => ({
  ...{ recording_id: uid, status, hit_count: peaks.length },
  hits: peaks.map((peak, at) => ({
    ...{ started_at: "", triggered_at: "", ended_at: "", triggered_ns: String(at), peak, evidence: {} },
  })),
});
const judge = (judged: Record<string, Judgement>) => new Map(Object.entries(judged));

describe("what people decided", () => {
  test("is counted by what the condition keeps and drops, of what it evaluated", () => {
    const recordings = [recording("a", [90]), recording("b", []), recording("c", [70]), recording("d", [], "error")];
    const judged = judge({ a: "fixed", b: "false_alarm", c: "false_alarm", d: "fixed", e: "fixed" });
    expect(tally(recordings, judged)).toEqual({ fixed: 1, kept: 1, falseAlarms: 2, dropped: 1 });
    expect(tally(recordings, new Map())).toBe(null);
  });

  test("about a recording is what was decided last", () => {
    const outcomes = (["false_alarm", "fixed"] as const).map((judgement) => ({ recording_id: "a", judgement }));
    expect(toJudgements(outcomes).get("a")).toBe("false_alarm");
  });
});

describe("a value by outcomes", () => {
  const recordings = [recording("hot", [86, 91]), recording("warm", [76.2, 77.4]), recording("other", [95])];
  const judged = judge({ hot: "fixed", warm: "false_alarm" });

  test("is the lowest that drops every false alarm and keeps what was fixed", () => {
    expect(suggestByOutcomes(over, recordings, judged)).toBe(78);
    const near = [recording("hot", [77.6]), recording("warm", [77.4])];
    expect(suggestByOutcomes(over, near, judged)).toBe(77.5);
    const low = [recording("hot", [8]), recording("warm", [14.2])];
    expect(suggestByOutcomes({ ...over, operator: "lt", value: 20 }, low, judged)).toBe(14);
  });

  test("is not suggested where none tells them apart, or nothing is gained", () => {
    expect(suggestByOutcomes(over, recordings, judge({ hot: "false_alarm", warm: "fixed" }))).toBe(null);
    expect(suggestByOutcomes(over, recordings, judge({ hot: "fixed" }))).toBe(null);
    expect(suggestByOutcomes(over, recordings, judge({ warm: "false_alarm" }))).toBe(null);
    expect(suggestByOutcomes({ ...over, value: 80 }, [recording("hot", [91]), recording("warm", [])], judged)).toBe(
      null,
    );
    expect(suggestByOutcomes(over, [recording("hot", []), recording("warm", [77])], judged)).toBe(null);
    expect(suggestByOutcomes({ ...over, operator: "eq" }, recordings, judged)).toBe(null);
  });
});
