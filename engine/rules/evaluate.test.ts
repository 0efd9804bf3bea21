import { describe, expect, test } from "vitest";
import { parseCondition } from "@/domain/conditions/condition-schema";
import { createEvaluation, type RuleInput } from "@/engine/rules/evaluate";
import {
  at,
  evaluate,
  evaluateAll,
  every,
  buildFacts,
  inOrder,
  ns,
  range,
  seconds,
  spans,
  triggers,
} from "@/engine/rules/recording.fixture";

const hot = { type: "threshold", topic: "/temp", field: "value", operator: "gt", value: 80 };
const temp = (values: unknown[]) => ({ "/temp": every(1, values) });

describe("an episode", () => {
  test("starts at its first true sample and ends at the first false one", () => {
    expect(spans({ ...hot, window: "2s" }, temp([79, 81, 82, 83, 84, 79]))).toEqual([[1, 3, 5]]);
  });
  test("ends a gap limit after the last sample when silence breaks it, and may start again", () => {
    expect(spans(hot, { "/temp": at([0, 1, 2, 3, 13, 14], { value: 90 }) })).toEqual([
      [0, 0, 8],
      [13, 13, 14],
    ]);
  });
  test("ends a gap limit after the last sample when the topic stops, else with the recording", () => {
    expect(spans(hot, temp([90, 90, 90]), { end: 60 })).toEqual([[0, 0, 7]]);
    expect(spans(hot, temp([90, 90, 90]), { end: 5 })).toEqual([[0, 0, 5]]);
  });
  test("has no gap limit with fewer than three messages", () => {
    expect(spans(hot, { "/temp": at([0, 30], { value: 90 }) }, { end: 60 })).toEqual([[0, 0, 60]]);
  });
  test("survives missing values, which count as silence", () => {
    expect(spans(hot, temp([90, null, 90, 79]))).toEqual([[0, 0, 3]]);
    expect(spans({ ...hot, window: "3s" }, temp([90, null, null, null, 90]))).toEqual([[0, 4, 4]]);
    expect(spans(hot, temp([90, ...Array<null>(8).fill(null), 90]))).toEqual([
      [0, 0, 5],
      [9, 9, 9],
    ]);
  });
  test("never triggers on a missing value, even when its window has passed", () => {
    expect(spans({ ...hot, window: "2s" }, temp([90, 90, null, null]))).toEqual([]);
  });
  test("of a pattern ends at the first value that does not match, or at a gap", () => {
    const failing = { type: "pattern", topic: "/log", field: "value", regex: "ERR" };
    expect(spans(failing, { "/log": every(1, ["ok", "ERR a", "ERR b", "ok", "an ERR"]) })).toEqual([
      [1, 1, 3],
      [4, 4, 4],
    ]);
    expect(triggers(failing, { "/log": at([0, 1, 2, 3, 20], { value: "ERR" }) })).toEqual([0, 20]);
  });
  test("carries its value at the trigger and its peak", () => {
    const [hit] = evaluate({ ...hot, window: "1s" }, temp([79, 99, 82, 83, 120, 79, 130])).hits;
    expect(hit).toMatchObject({ value: 82, peak: 120 });
    const [low] = evaluate({ ...hot, operator: "lt", value: 10 }, temp([9, 3, 5])).hits;
    expect(low).toMatchObject({ value: 9, peak: 3 });
    const [out] = evaluate({ ...hot, operator: "outside", value: [0, 10] }, temp([11, -5, 12])).hits;
    expect(out).toMatchObject({ value: 11, peak: -5 });
    const [word] = evaluate({ ...hot, operator: "eq", value: "on" }, temp(["on"])).hits;
    expect(word).toMatchObject({ value: "on", peak: null });
  });
});

describe("a frequency", () => {
  const count = (operator: string, bound: number, window: string, more = {}) => ({
    type: "frequency",
    topic: "/a",
    count_operator: operator,
    count: bound,
    window,
    ...more,
  });
  test("episode lasts until the count falls back", () => {
    expect(spans(count("gt", 2, "10s"), { "/a": at([1, 2, 3, 4]) }, { end: 60 })).toEqual([[3, 3, 12]]);
  });
  test("treats an arrival and an expiry at one instant as one change", () => {
    expect(triggers(count("lt", 10, "10s"), { "/a": at(range(0, 60)) })).toEqual([]);
    expect(triggers(count("gt", 10, "10s"), { "/a": at(range(0, 60)) })).toEqual([]);
  });
  test("below a count is not evaluated in a recording shorter than its window", () => {
    expect(triggers(count("lt", 10, "10s"), { "/a": at([0, 1]) }, { end: 9 })).toEqual([]);
  });
  test("of none triggers where a window holds no message", () => {
    expect(triggers(count("eq", 0, "5s"), { "/a": at([0, 1, 20]) }, { end: 22 })).toEqual([6]);
  });
  test("counts only the messages that meet its filter", () => {
    const errors = count("gte", 2, "5s", { field: "value", operator: "eq", value: "ERROR" });
    expect(triggers(errors, { "/a": every(1, ["ERROR", "ok", "ok", "ERROR", "ok", "ERROR"]) })).toEqual([3]);
  });
  test("carries its count, and the greatest count as peak", () => {
    const [hit] = evaluate(count("gt", 2, "10s"), { "/a": at([1, 2, 3, 4, 5]) }, { end: 60 }).hits;
    expect(hit).toMatchObject({ value: 3, peak: 5 });
  });
});

describe("an absence", () => {
  const silent = { type: "absence", topic: "/cam", timeout: "5s" };

  test("triggers once in each silence, which the next message ends", () => {
    expect(spans(silent, { "/cam": at([0, 10, 12, 30]) })).toEqual([
      [0, 5, 10],
      [12, 17, 30],
    ]);
  });
  test("does not take a message that comes just at the timeout for silence", () => {
    expect(triggers(silent, { "/cam": at([0, 5, 10]) })).toEqual([]);
    expect(triggers(silent, { "/cam": at([0, 5.000000001, 10]) })).toEqual([5]);
    expect(triggers(silent, { "/cam": at([0, 5]) }, { end: 10 })).toEqual([10]);
  });
  test("of a topic that is missing does not trigger in a recording shorter than the timeout", () => {
    expect(evaluate(silent, { "/clock": at([0, 4]) })).toMatchObject({ status: "evaluated", hits: [] });
  });
  test("at the end of a truncated recording is noted, not triggered", () => {
    const result = evaluate(silent, { "/cam": at([0, 7]) }, { end: 60, truncated: true });
    expect(result.hits.map((hit) => seconds(hit.triggeredAt))).toEqual([5]);
    expect(result.notes).toEqual(["Recording ends early: /cam was silent for its last 53s."]);
  });
  test("of any topic that matches triggers", () => {
    const tracks = { "/cam/left": at(range(0, 60)), "/cam/right": at(range(0, 20)), "/clock": at([60]) };
    expect(triggers({ ...silent, topic: "/cam/*" }, tracks)).toEqual([25]);
    expect(triggers({ ...silent, topic: "/lidar/*" }, tracks)).toEqual([5]);
  });
});

describe("a topic glob", () => {
  test("keeps state for each topic, and holds where any of them does", () => {
    const tracks = { "/m/1": every(1, [81, 70, 81, 70, 70, 70]), "/m/2": every(1, [70, 81, 70, 70, 81, 70]) };
    expect(triggers({ ...hot, topic: "/m/*", window: "1s" }, tracks)).toEqual([]);
    expect(spans({ ...hot, topic: "/m/*" }, tracks)).toEqual([
      [0, 0, 3],
      [4, 4, 5],
    ]);
  });
  test("is evaluated over the topics that carry the field", () => {
    const tracks = { "/m/1": at([0, 1], { other: 1 }), "/m/2": every(1, [90]) };
    expect(evaluate({ ...hot, topic: "/m/*" }, tracks)).toMatchObject({ status: "evaluated", hits: [{ value: 90 }] });
  });
});

describe("a composite", () => {
  const fast = { ...hot, topic: "/rpm", value: 1000 };
  const both = { type: "composite", operator: "and", conditions: [hot, fast] };

  test("holds a child from its trigger on, not from the start of its window", () => {
    const tracks = { "/temp": every(1, [81, 81, 81, 81, 70]), "/rpm": every(1, [2000, 2000, 2000, 2000, 2000]) };
    const sustained = { ...both, conditions: [{ ...hot, window: "2s" }, fast] };
    expect(spans(sustained, tracks)).toEqual([[2, 2, 4]]);
  });
  test("with hold lets two momentary episodes coincide", () => {
    const tracks = { "/temp": every(1, [81, 70, 70, 70, 70]), "/rpm": every(1, [0, 0, 2000, 0, 0]) };
    expect(triggers(both, tracks)).toEqual([]);
    expect(spans({ ...both, hold: "2s" }, tracks)).toEqual([[2, 2, 3]]);
  });
  test("counts momentary episodes, which hold extends", () => {
    const blip = at([2], { value: 90 }).concat(at([2, 3], { value: 70 }));
    const tracks = { "/temp": blip, "/rpm": every(1, [0, 0, 0, 2000]) };
    expect(triggers({ ...both, operator: "or" }, tracks)).toEqual([2, 3]);
    expect(triggers(both, tracks)).toEqual([]);
    expect(triggers({ ...both, hold: "1500ms" }, tracks)).toEqual([3]);
  });
  test("nests", () => {
    const tracks = { ...temp([81, 81, 70, 81]), "/rpm": every(1, [0, 2000, 0, 0]), "/cam": at([0, 1, 2, 3]) };
    const watched = { type: "absence", topic: "/cam", timeout: "1.5s" };
    const nested = { type: "composite", operator: "or", conditions: [both, { ...both, conditions: [watched] }] };
    expect(triggers(nested, tracks)).toEqual([1]);
  });
  test("with or ignores a child that does not apply, with and does not", () => {
    const tracks = temp([90]);
    expect(evaluate({ ...both, operator: "or" }, tracks)).toMatchObject({
      status: "evaluated",
      hits: [{}],
      notes: ["/rpm is not in the recording."],
    });
    expect(evaluate(both, tracks)).toMatchObject({
      status: "not_applicable",
      reason: "/rpm is not in the recording.",
      hits: [],
    });
  });
});

describe("the reason is reported for", () => {
  test.each([
    ["a topic that is missing", { ...hot, topic: "/x" }, "not_applicable", "/x is not in the recording."],
    ["a glob without a topic", { ...hot, topic: "/x/*" }, "not_applicable", "No topic of the recording matches /x/*."],
    ["a field that is missing", { ...hot, field: "x" }, "not_applicable", "No message of /temp carries x."],
    [
      "a text that is ordered",
      { ...hot, field: "name" },
      "not_applicable",
      /^name of \/temp never holds a value that can be compared/,
    ],
    ["a boolean that is ordered", { ...hot, field: "on" }, "not_applicable", /^on of \/temp/],
    [
      "a field that fails to decode",
      { ...hot, field: "bad" },
      "error",
      "bad of /temp cannot be read: index out of range",
    ],
  ])("%s", (_, condition, status, reason) => {
    const message = {
      value: 70,
      name: "motor",
      on: true,
      get bad(): number {
        throw new RangeError("index out of range");
      },
    };
    const result = evaluate(condition, { "/temp": at([0, 1], message) });
    expect(result).toMatchObject({ status, hits: [] });
    expect(result.reason).toMatch(reason);
  });
  test("a topic that cannot be decoded, unless times are enough", () => {
    const facts = buildFacts({ "/temp": at([0, 1, 2]) });
    const topics = facts.topics.map((topic) => ({ ...topic, undecodable: "its schema is damaged" }));
    const often = { type: "frequency", topic: "/temp", count_operator: "gte", count: 3, window: "10s" };
    const [value, times] = evaluateAll([hot, often], { ...facts, topics }, inOrder({ "/temp": at([0, 1, 2]) }));
    expect(value).toMatchObject({ status: "error", reason: "/temp cannot be decoded: its schema is damaged" });
    expect(times).toMatchObject({ status: "evaluated", hits: [{}] });
  });
  test("a condition that is not usable, without stopping the others", () => {
    const good: RuleInput = { uid: "good", version: 3, condition: parseCondition(hot) };
    const bad: RuleInput = {
      ...good,
      uid: "bad",
      condition: JSON.parse('{"type":"absence","topic":"","timeout":"5s"}'),
    };
    const evaluation = createEvaluation([bad, good], buildFacts(temp([90])));
    evaluation.message("/temp", 0n, { value: 90 });
    expect(evaluation.finish()).toMatchObject([
      { ruleUid: "bad", status: "error", reason: "topic: This field may not be blank." },
      { ruleUid: "good", version: 3, status: "evaluated", hits: [{}] },
    ]);
  });
  test("values that are never a number, but not for NaN", () => {
    expect(evaluate(hot, temp([NaN, NaN]))).toMatchObject({ status: "evaluated", hits: [] });
  });
});

describe("an evaluation", () => {
  test("needs values only where a condition names a field, and nothing of other topics", () => {
    const facts = buildFacts({ "/temp": at([0]), "/cam": at([0]), "/rest": at([0]) });
    const conditions = [hot, { type: "absence", topic: "/cam", timeout: "5s" }].map((json) => parseCondition(json));
    const evaluation = createEvaluation(
      conditions.map((condition, index) => ({ uid: `${index}`, version: 1, condition })),
      facts,
    );
    expect(["/temp", "/cam", "/rest", "/unheard"].map((topic) => evaluation.wants(topic))).toEqual([
      "values",
      "times",
      "none",
      "none",
    ]);
  });
  test("refuses messages of a topic that go back in time", () => {
    const evaluation = createEvaluation(
      [{ uid: "r", version: 1, condition: parseCondition(hot) }],
      buildFacts(temp([1, 2])),
    );
    evaluation.message("/temp", ns(1), { value: 1 });
    expect(() => evaluation.message("/temp", 0n, { value: 1 })).toThrow(/out of order/);
  });
  test("is exact to the nanosecond at any date, and over a jump of the clock from 1970", () => {
    const late = 1_800_000_000_000_000_001n;
    const condition = parseCondition({ ...hot, window: "10s" });
    const facts = {
      startTime: 0n,
      endTime: late + 20_000_000_000n,
      truncated: false,
      topics: [{ topic: "/temp", messageCount: 3, medianPeriodNs: 10_000_000_000n }],
    };
    for (const [short, hits] of [
      [0n, 1],
      [1n, 0],
    ] as const) {
      const evaluation = createEvaluation([{ uid: "r", version: 1, condition }], facts);
      evaluation.message("/temp", 0n, { value: 70 });
      evaluation.message("/temp", late, { value: 90 });
      evaluation.message("/temp", late + 10_000_000_000n - short, { value: 90 });
      const [result] = evaluation.finish();
      expect(result!.hits.map((hit) => hit.triggeredAt)).toEqual(hits === 1 ? [late + 10_000_000_000n] : []);
    }
  });
  test("knows enumerations by the names of the schema", () => {
    const facts = buildFacts({ "/diag": at([0], { level: 2 }) });
    const topics = facts.topics.map((topic) => ({ ...topic, enums: { level: { 0: "OK", 2: "ERROR" } } }));
    const condition = { type: "threshold", topic: "/diag", field: "level", operator: "eq", value: "ERROR" };
    expect(
      evaluateAll([condition], { ...facts, topics }, inOrder({ "/diag": at([0], { level: 2 }) }))[0]!.hits,
    ).toHaveLength(1);
  });
  test("finds a value by key in diagnostics", () => {
    const message = {
      status: [{ values: [{ key: "rpm", value: "9999" }] }, { values: [{ key: "temp", value: "85.5" }] }],
    };
    const condition = { ...hot, topic: "/diag", field: '/diag.status[:].values{key=="temp"}.value' };
    expect(evaluate(condition, { "/diag": at([0], message) }).hits).toMatchObject([{ value: "85.5", peak: 85.5 }]);
  });
});
