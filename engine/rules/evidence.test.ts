import { describe, expect, test } from "vitest";
import { parseCondition } from "@/domain/conditions/condition-schema";
import { describeCondition, describeHit } from "@/domain/conditions/describe";
import { ruleEvidenceSchema } from "@/domain/conditions/rule-evidence";
import { evaluate, every, range, type Tracks } from "@/engine/rules/recording.fixture";
import { SampleTrace } from "@/engine/rules/samples";

const hot = { type: "threshold", topic: "/motor/temp", field: "data.value", operator: "gt", value: 80, window: "10s" };
const tracks = (values: unknown[], topic = "/motor/temp"): Tracks => ({
  [topic]: every(1, values).map(([time, message]) => [time, { data: message }] as const),
});
const warming = range(70, 99);

describe("evidence", () => {
  test("has the criterion, the value at the trigger and the samples around it", () => {
    const [hit] = evaluate(hot, tracks(warming)).hits;
    expect(hit!.evidence).toMatchObject({
      rule_version: 1,
      topic: "/motor/temp",
      window: "10s",
      suppressed: 0,
      storm: false,
    });
    const [leaf] = hit!.evidence.leaves;
    expect(leaf).toMatchObject({
      path: "",
      type: "threshold",
      topic: "/motor/temp",
      field: "data.value",
      holds: true,
      value: 91,
      value_at: "21000000000",
      operator: "gt",
      threshold: 80,
      window: "10s",
    });
    expect(leaf!.samples).toHaveLength(18);
    expect(leaf!.samples.map(([, value]) => value)).toEqual(range(82, 99));
  });
  test("shows the sample that triggered, not another one of the same instant", () => {
    const level = { type: "threshold", topic: "/lvl", field: "value", operator: "gt", value: 80 };
    const seen = (values: number[]) => {
      const messages = [10, ...values].map((value, i) => [i === 0 ? 1 : 2, { value }] as const);
      const { hits } = evaluate(level, { "/lvl": messages });
      return hits.map(({ evidence }) => evidence.leaves[0]);
    };
    expect(seen([90, 20])).toMatchObject([{ holds: true, value: 90, value_at: "2000000000" }]);
    expect(seen([90, 95, 99])).toMatchObject([{ holds: true, value: 90, value_at: "2000000000" }]);
    expect(seen([20, 85])).toMatchObject([{ holds: true, value: 85, value_at: "2000000000" }]);
  });
  test("shows each leaf of a composite as it was at the trigger", () => {
    const fast = { type: "threshold", topic: "/rpm", field: "value", operator: "gt", value: 1000 };
    const quiet = { type: "absence", topic: "/cam", timeout: "1h" };
    const condition = {
      type: "composite",
      operator: "or",
      conditions: [fast, { type: "composite", operator: "and", conditions: [hot, quiet] }],
    };
    const rpm = every(
      0.1,
      range(0, 29, 0.1).map((time) => (time >= 12 ? 1500 : time)),
    );
    const [hit] = evaluate(condition, { ...tracks(warming), "/rpm": rpm }).hits;
    expect(hit!.evidence.leaves).toMatchObject([
      { path: "conditions.0", holds: true, value: 1500, value_at: "12000000000" },
      { path: "conditions.1.conditions.0", holds: false, value: 82, value_at: "12000000000" },
      { path: "conditions.1.conditions.1", holds: false, value: null, value_at: null },
    ]);
  });
  test.each([
    [hot, tracks(warming)],
    [{ type: "pattern", topic: "/motor/temp", field: "data.value", regex: "9" }, tracks(warming)],
    [{ type: "frequency", topic: "/motor/temp", count_operator: "gt", count: 1, window: "5s" }, tracks(warming)],
    [{ type: "absence", topic: "/cam", timeout: "5s" }, tracks(warming)],
    [{ type: "composite", operator: "and", conditions: [hot] }, tracks(warming)],
  ])("of %j has the shape that its types declare, and no member more", (condition, recorded) => {
    const { evidence } = evaluate(condition, recorded).hits[0]!;
    expect(ruleEvidenceSchema.parse(evidence)).toEqual(evidence);
  });
  test("is JSON without loss", () => {
    const values = [1n, 9007199254740993n, Infinity, "x".repeat(300), { sec: 2, nsec: 500_000_000 }, [1n, NaN], true];
    const condition = { ...hot, operator: "neq", value: "never", window: undefined };
    for (const value of values) {
      const [hit] = evaluate(condition, tracks([value])).hits;
      expect(JSON.parse(JSON.stringify({ value: hit?.value, evidence: hit?.evidence }))).toEqual({
        value: hit?.value,
        evidence: hit?.evidence,
      });
    }
    expect(evaluate({ ...condition, operator: "gt", value: 5 }, tracks([9007199254740993n])).hits[0]!.value).toBe(
      "9007199254740993",
    );
    expect(evaluate({ ...condition, operator: "gt", value: 5 }, tracks([Infinity])).hits[0]).toMatchObject({
      value: "Infinity",
      peak: null,
    });
  });
  test("has exact samples around a trigger late in a long recording", () => {
    const values = Array.from({ length: 40_000 }, (_, index) => (index === 33_333 ? 90 : index % 50));
    const [hit] = evaluate({ ...hot, window: undefined }, tracks(values)).hits;
    const shown = hit!.evidence.leaves[0]!.samples;
    expect(shown).toHaveLength(20);
    expect(shown.map(([time]) => Number(time) / 1e9)).toEqual(range(33_324, 33_343));
  });
});

test("a trace stays within its bounds however many samples it gets, and retains them in order", () => {
  const trace = new SampleTrace(100);
  for (let index = 0; index < 200_000; index++) {
    trace.record(BigInt(index), index);
    if (index % 1000 === 500) trace.mark();
  }
  const all = trace.near(0n, 1_000_000);
  expect(all.length).toBeLessThan(4200);
  expect(all.every((sample, at) => at === 0 || sample.index > all[at - 1]!.index)).toBe(true);
  expect(all.every(({ index, time, value }) => BigInt(index) === time && value === index)).toBe(true);
  expect(trace.lastAt(500n)).toMatchObject({ value: 500 });
  for (let time = 1111n; time < 200_000n; time += 1111n) expect(time - trace.lastAt(time)!.time).toBeLessThan(128n);
});

describe("a description", () => {
  const description = (json: unknown) => describeCondition(parseCondition(json));
  const absence = { type: "absence", topic: "/cam", timeout: "5s" };

  test.each([
    [hot, "/motor/temp data.value > 80 for 10s"],
    [{ ...hot, window: undefined, operator: "between", value: [1, 2] }, "/motor/temp data.value between 1 and 2"],
    [{ ...hot, operator: "eq", value: "ERROR", window: undefined }, '/motor/temp data.value == "ERROR"'],
    [{ ...hot, field_mode: "max" }, "/motor/temp max of data.value > 80 for 10s"],
    [
      { ...hot, recover: { operator: "lt", value: 75 }, cooldown: "1m" },
      "/motor/temp data.value > 80 for 10s until < 75, at most once in 1m",
    ],
    [{ type: "pattern", topic: "/log", field: "msg", regex: "ERR" }, "/log msg matches /ERR/"],
    [{ type: "frequency", topic: "/e", count_operator: "gt", count: 5, window: "1m" }, "/e more than 5 messages in 1m"],
    [
      {
        type: "frequency",
        topic: "/e",
        count_operator: "lt",
        count: 5,
        window: "1m",
        field: "level",
        operator: "gte",
        value: 2,
      },
      "/e fewer than 5 messages with level >= 2 in 1m",
    ],
    [absence, "/cam silent for 5s"],
    [
      {
        type: "composite",
        operator: "or",
        conditions: [absence, { type: "composite", operator: "and", conditions: [hot, absence], hold: "2s" }],
      },
      "/cam silent for 5s or (/motor/temp data.value > 80 for 10s and /cam silent for 5s) held for 2s",
    ],
  ])("%j", (json, text) => expect(description(json)).toBe(text));

  test.each([
    [hot, tracks(warming), "Motor temp 91 (limit 80 for 10 s)"],
    [{ ...hot, topic: "/motor/*", window: undefined }, tracks([85.2345678]), "Motor temp 85.2 (limit 80)"],
    [
      { type: "pattern", topic: "/motor/temp", field: "data.value", regex: "E" },
      tracks(["an E"]),
      'Motor temp: "an E"',
    ],
    [
      { type: "frequency", topic: "/motor/temp", count_operator: "gte", count: 3, window: "1m" },
      tracks(warming),
      "3 messages on /motor/temp in 1 min (fewer than 3 expected)",
    ],
    [
      { ...absence },
      {
        "/other": [
          [0, {}],
          [9, {}],
        ],
      } as Tracks,
      "No messages on /cam for 5 s",
    ],
    [
      { type: "composite", operator: "and", conditions: [hot, absence] },
      tracks(warming),
      "Motor temp 91 (limit 80 for 10 s) and no messages on /cam for 5 s",
    ],
  ])("a hit of %j", (json, recorded, text) => {
    const condition = parseCondition(json);
    expect(describeHit({ condition }, evaluate(json, recorded).hits[0]!)).toBe(text);
  });
});
