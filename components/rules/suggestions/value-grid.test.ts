import { expect, test } from "vitest";
import type { ConditionDraft } from "@/domain/conditions/draft";
import type { Judgement } from "@/domain/rules/judgements";
import { chooseBest, chooseValues, chooseWindows, hasValueMap, isWrong, toCell } from "./value-grid";

const condition: ConditionDraft = {
  type: "threshold",
  topic: "/motor",
  field: "temperature",
  operator: "gt",
  value: 65,
};
const span = { started_at: "", triggered_at: "", ended_at: "", triggered_ns: "0", evidence: {} };
const recording = (uid: string, ...peaks: (number | null)[]) => ({
  ...{ recording_id: uid, status: "evaluated" as const, hit_count: peaks.length },
  hits: peaks.map((peak) => ({ ...span, peak })),
});

test("values are round, hold the present one and reach past the farthest peak", () => {
  expect(chooseValues(condition, [recording("a", 91.2, 70), recording("b", null)])).toEqual([
    ...[55, 60, 65, 70, 75, 80, 85, 90, 95],
  ]);
  const odd = chooseValues({ ...condition, value: 66.3 }, [recording("a", 91.2)]);
  expect(odd).toEqual([60, 65, 66.3, 70, 75, 80, 85, 90, 95]);
  expect(odd).toHaveLength(9);
});

test("below a value, they begin above it and go down", () => {
  const battery: ConditionDraft = { ...condition, operator: "lt", value: 20 };
  expect(chooseValues(battery, [recording("a", 8), recording("b", 14)])).toEqual([24, 22, 20, 18, 16, 14, 12, 10, 8]);
});

test("there is none without a value, without peaks beyond it, and for an equality", () => {
  expect(hasValueMap(condition, [recording("a")])).toBe(false);
  expect(hasValueMap(condition, [recording("a", 65)])).toBe(false);
  expect(hasValueMap({ ...condition, operator: "eq" }, [recording("a", 90)])).toBe(false);
  expect(hasValueMap({ ...condition, value: "hot" }, [recording("a", 90)])).toBe(false);
  expect(hasValueMap(condition, [recording("a", 90)])).toBe(true);
});

test("numbers whose peaks differ behind the sixth digit, such as times in nanoseconds, have none", () => {
  for (const [value, peak] of [
    [1.77e18, 1.77e18 + 512],
    [1e9, 1e9 + 1],
  ] as const)
    expect(chooseValues({ ...condition, value }, [recording("a", peak)])).toEqual([]);
});

test.each([
  [undefined, [null, "1s", "2s", "5s", "10s", "30s"]],
  ["5s", [null, "1s", "2s", "5s", "10s", "30s"]],
  ["7s", [null, "2s", "5s", "7s", "10s", "30s"]],
  ["10m", [null, "10s", "30s", "1m", "5m", "10m"]],
  ["50ms", [null, "50ms", "200ms", "500ms", "1s", "2s"]],
])("around %s the times are %j", (window, times) => {
  expect(chooseWindows({ ...condition, window })).toEqual(times);
});

const judged = new Map<string, Judgement>([
  ["a", "fixed"],
  ["b", "false_alarm"],
  ["c", "false_alarm"],
]);
const counted = (a: number, b: number, c: number) =>
  Object.entries({ a, b, c }).map(([uid, hit_count]) => ({
    ...{ recording_id: uid, status: "evaluated" as const },
    hit_count,
  }));
const values = [65, 70, 75, 80];
const times = [null, "5s"];
/** Hits of each recording by value and time. */
const find = (found: Record<string, [number, number, number]>) =>
  values.flatMap((value) =>
    times.map((window) =>
      toCell(
        { ...condition, value, window: window ?? undefined },
        counted(...(found[`${value} ${window ?? "-"}`] ?? [1, 1, 1])),
        judged,
      )!,
    ),
  );

test("the best cell keeps what was fixed, then drops the most false alarms, and is the nearest of those", () => {
  const cells = find({
    "70 5s": [2, 0, 1],
    "75 -": [1, 0, 0],
    "75 5s": [1, 0, 0],
    "80 -": [0, 0, 0],
    "80 5s": [0, 0, 0],
  });
  const best = chooseBest(cells, values, times, condition);
  expect(best).toMatchObject({ value: 75, window: null, hits: 1 });
  expect(best!.tally).toEqual({ fixed: 1, kept: 1, falseAlarms: 2, dropped: 2 });
  expect(isWrong(best!)).toBe(false);
  expect(isWrong(cells[0]!)).toBe(true);
});

test("there is no best where the present condition does as well, or nobody called anything a false alarm", () => {
  expect(chooseBest(find({}), values, times, condition)).toBeNull();
  expect(chooseBest(find({ "80 -": [0, 0, 0] }), values, times, condition)).toBeNull();
  const undecided = values.map((value) => toCell({ ...condition, value }, counted(1, 1, 1), new Map())!);
  expect(chooseBest(undecided, values, times, condition)).toBeNull();
});

test("there is no best where nothing was fixed: the highest value would always drop all", () => {
  const wrong = new Map<string, Judgement>([["b", "false_alarm"]]);
  const cells = values.map((value) => toCell({ ...condition, value }, counted(1, value > 70 ? 0 : 1, 0), wrong)!);
  expect(chooseBest(cells, values, [null], condition)).toBeNull();
});
