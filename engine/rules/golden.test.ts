import { describe, expect, test } from "vitest";
import {
  at,
  evaluate,
  evaluateAll,
  every,
  buildFacts,
  inOrder,
  range,
  triggers,
  type Tracks,
} from "@/engine/rules/recording.fixture";

const hot = { type: "threshold", topic: "/temp", field: "value", operator: "gt", value: 80 };
const temp = (values: unknown[]): Tracks => ({ "/temp": every(1, values) });
const trues = (times: number[]): Tracks => ({ "/temp": at(times, { value: 90 }) });

describe("a threshold on a 1 Hz temperature of 79, 81, 82, 83, 79, 81", () => {
  const tracks = temp([79, 81, 82, 83, 79, 81]);

  test("without a window triggers at each rise: t1 and t5", () => {
    expect(triggers(hot, tracks)).toEqual([1, 5]);
  });
  test("with a window of 2 s triggers once, at t3", () => {
    expect(triggers({ ...hot, window: "2s" }, tracks)).toEqual([3]);
  });
  test("with a window of 3 s never triggers", () => {
    expect(triggers({ ...hot, window: "3s" }, tracks)).toEqual([]);
  });
});

describe("a threshold", () => {
  test("triggers at the first sample of a recording that starts at 90", () => {
    expect(triggers(hot, temp([90, 90, 90]))).toEqual([0]);
  });
  test("is reset by NaN between trues, window 2 s", () => {
    expect(triggers({ ...hot, window: "2s" }, temp([81, 82, NaN, 83, 84]))).toEqual([]);
    expect(triggers({ ...hot, window: "2s" }, temp([81, 82, NaN, 83, 84, 85]))).toEqual([5]);
  });
  test("does not hold across 10 s of silence at 1 Hz, window 5 s", () => {
    expect(triggers({ ...hot, window: "5s" }, trues([0, 1, 2, 3, 13, 14, 15]))).toEqual([]);
  });
  test("holds across a dropout of 3 s, window 4 s", () => {
    expect(triggers({ ...hot, window: "4s" }, trues([0, 1, 4, 5, 6]))).toEqual([4]);
  });
  test("with a window of 0.5 s at 1 Hz triggers at the second sample", () => {
    expect(triggers({ ...hot, window: "0.5s" }, temp([79, 81, 82, 83]))).toEqual([2]);
  });
});

describe("a frequency", () => {
  const slow = { type: "frequency", topic: "/beat", count_operator: "lt", count: 5, window: "10s" };

  test("below 5 in 10 s never triggers on a 1 Hz topic of 60 s", () => {
    expect(triggers(slow, { "/beat": at(range(0, 60)) })).toEqual([]);
  });
  test("below 5 in 10 s triggers exactly once, at 36 s, when the topic stops at 30 s of 60 s", () => {
    expect(triggers(slow, { "/beat": at(range(0, 30)) }, { end: 60 })).toEqual([36]);
  });
  test("above 5 in 60 s triggers once, at the sixth of a burst of 12 errors", () => {
    const many = { type: "frequency", topic: "/errors", count_operator: "gt", count: 5, window: "60s" };
    const burst = range(20, 21.1, 0.1);
    expect(burst).toHaveLength(12);
    expect(triggers(many, { "/errors": at(burst), "/clock": at([0, 300]) })).toEqual([20.5]);
  });
});

describe("an absence of 5 s", () => {
  const silent = { type: "absence", topic: "/cam", timeout: "5s" };
  const clock = { "/clock": at([0, 60]) };

  test("triggers at 5 s when the first message comes at 7 s", () => {
    expect(triggers(silent, { ...clock, "/cam": at(range(7, 60)) })).toEqual([5]);
  });
  test("triggers at 55 s when the last message comes at 50 of 60 s", () => {
    expect(triggers(silent, { ...clock, "/cam": at(range(0, 50)) })).toEqual([55]);
  });
  test("does not trigger when the last message comes at 56 of 60 s", () => {
    expect(triggers(silent, { ...clock, "/cam": at(range(0, 56)) })).toEqual([]);
  });
  test("triggers once, at 5 s, when the topic is missing", () => {
    expect(triggers(silent, clock)).toEqual([5]);
  });
});

describe("a composite", () => {
  const fast = { type: "threshold", topic: "/rpm", field: "value", operator: "gt", value: 1000 };

  test("and of temp > 80 at 1 Hz and rpm > 1000 at 100 Hz that overlap from 3 to 5 s triggers at 3 s", () => {
    const tracks = {
      "/temp": every(1, [70, 81, 81, 81, 81, 70, 70]),
      "/rpm": every(
        0.01,
        range(0, 6, 0.01).map((time) => (time >= 3 ? 1500 : 900)),
      ),
    };
    const { hits } = evaluate({ type: "composite", operator: "and", conditions: [hot, fast] }, tracks);
    expect(hits.map((hit) => [hit.triggeredAt, hit.endedAt])).toEqual([[3_000_000_000n, 5_000_000_000n]]);
  });
  test("or of two that overlap triggers once", () => {
    const tracks = {
      "/temp": every(1, [70, 81, 81, 81, 70, 70, 70]),
      "/rpm": every(1, [0, 0, 2000, 2000, 2000, 2000, 0]),
    };
    expect(triggers({ type: "composite", operator: "or", conditions: [hot, fast] }, tracks)).toEqual([1]);
  });
});

describe("the same messages", () => {
  const tracks: Tracks = {
    "/temp": every(1, [79, 81, 82, 83, 79, 81, 70, 90, 90]),
    "/rpm": every(
      0.1,
      range(0, 8, 0.1).map((time) => 900 + Math.round(time * 40)),
    ),
  };
  const rules = [
    hot,
    { ...hot, window: "2s" },
    { type: "frequency", topic: "/rpm", count_operator: "gte", count: 10, window: "1s" },
    { type: "composite", operator: "and", conditions: [hot, { ...hot, topic: "/rpm", value: 1000 }] },
  ];
  const facts = buildFacts(tracks);
  const expected = evaluateAll(rules, facts, inOrder(tracks));

  test("split in three files give the same output", () => {
    const messages = inOrder(tracks);
    const third = Math.ceil(messages.length / 3);
    // Each file is read topic by topic, as a file written by another recorder may be laid out.
    const files = [0, 1, 2].map((file) => messages.slice(file * third, (file + 1) * third));
    const reordered = files.flatMap((file) =>
      [...file].sort((a, b) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : 0)),
    );
    expect(reordered).not.toEqual(messages);
    expect(evaluateAll(rules, facts, reordered)).toEqual(expected);
  });
  test("with their chunks in reversed order give the same output", () => {
    const reordered = Object.keys(tracks)
      .reverse()
      .flatMap((topic) => inOrder({ [topic]: tracks[topic]! }));
    expect(evaluateAll(rules, facts, reordered)).toEqual(expected);
  });
  test("evaluated again give the same number of hits", () => {
    expect(evaluateAll(rules, facts, inOrder(tracks))).toEqual(expected);
    expect(expected.map(({ hits }) => hits.length)).toEqual([3, 1, 1, 3]);
  });
});

describe("the types of values", () => {
  const holds = (operator: string, value: unknown, sample: unknown) =>
    triggers({ ...hot, operator, value }, temp([sample])).length === 1;

  test('the text "85" is greater than 80', () => expect(holds("gt", 80, "85")).toBe(true));
  test('the text "85" equals 85', () => expect(holds("eq", 85, "85")).toBe(true));
  test('the text "85" equals "85.0", since both are numbers', () => expect(holds("eq", "85.0", "85")).toBe(true));
  test("uint64 9223372036854775809 does not equal 9223372036854775808", () => {
    expect(holds("eq", "9223372036854775808", 9223372036854775809n)).toBe(false);
    expect(holds("eq", "9223372036854775809", 9223372036854775809n)).toBe(true);
  });
});
