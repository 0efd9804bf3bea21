import { describe, expect, test } from "vitest";
import { evaluate, every, range, seconds, spans, triggers, type Tracks } from "@/engine/rules/recording.fixture";

const rising = { type: "rate", topic: "/tank", field: "value", operator: "gt", value: 5 };
const level = (values: unknown[], period = 1): Tracks => ({ "/tank": every(period, values) });
const at = (samples: [number, unknown][]): Tracks => ({
  "/tank": samples.map(([time, value]) => [time, { value }] as const),
});

describe("a rate above 5 per second", () => {
  test.each<[string, object, Tracks, number[]]>([
    ["is unknown at the first sample and known at the second", {}, level([100, 106]), [1]],
    ["does not hold at exactly 5 per second", {}, level([0, 5, 10]), []],
    ["is per second for any period", {}, level([0, 0.4, 1], 0.1), [0.2]],
    ["counts one trigger for as long as it holds", {}, level([0, 6, 12, 18, 18, 24]), [1, 5]],
    ["of a single sample never triggers", {}, level([100]), []],
    ["holds across a missing value, which is no sample", {}, level([0, 6, null, 18, 24]), [1]],
    ["is compared across a missing value over the time between", {}, level([0, null, 8]), []],

    // 1 is the earlier time for both samples at 2: 0 → 20 and 0 → 4.
    [
      "compares samples of one instant with those before it",
      {},
      at([
        [1, 0],
        [2, 20],
        [2, 4],
        [3, 8],
      ]),
      [2],
    ],
    [
      "takes the last of several earlier samples of one instant",
      {},
      at([
        [1, 0],
        [1, 9],
        [2, 12],
      ]),
      [],
    ],

    ["over 2 s compares with the sample 2 s before", { over: "2s" }, level([0, 6, 9, 17, 21]), [3]],
    ["over 1.5 s at 1 Hz compares with the sample 2 s before", { over: "1.5s" }, level([0, 6, 9, 17, 21]), [3]],
    ["over more than the recording is never known", { over: "1m" }, level([0, 100, 200, 300]), []],
    // The gap limit is 5 s at 1 Hz; samples are one second apart, so nothing parts those 8 s apart.
    ["over more than the gap limit is known where no gap lies between", { over: "8s" }, level(range(0, 80, 8)), [8]],

    ["is unknown after NaN until two samples follow", {}, level([0, NaN, 100, 101, 200]), [4]],
    [
      "over 2 s is unknown after NaN until 2 s of samples follow",
      { over: "2s" },
      level([0, 1, NaN, 99, 120, 140]),
      [5],
    ],
    ["is ended by NaN", {}, level([0, 6, 12, NaN, 24, 30]), [1, 5]],
    [
      "is not known across a gap",
      {},
      at([
        [0, 0],
        [1, 1],
        [2, 2],
        [8, 92],
        [9, 93],
        [10, 194],
      ]),
      [10],
    ],
    [
      "is known across a dropout of as much as the gap limit",
      {},
      at([
        [0, 0],
        [1, 1],
        [2, 2],
        [7, 92],
        [8, 93],
      ]),
      [7],
    ],

    ["held for 2 s triggers at the first sample that is 2 s later", { window: "2s" }, level([0, 6, 12, 18, 24]), [3]],
    ["held for 2 s is reset by one slower sample", { window: "2s" }, level([0, 6, 12, 13, 19, 25]), []],
    ["lasts for its keep_for", { keep_for: "2s" }, level([0, 6, 6, 12, 12, 12, 12, 18]), [1, 7]],
    ["is suppressed by its cooldown", { cooldown: "3s" }, level([0, 6, 6, 12, 12, 18]), [1, 5]],
  ])("%s", (_, rest, tracks, expected) => {
    expect(triggers({ ...rising, ...rest }, tracks)).toEqual(expected);
  });

  test("ends where it recovers, not at the first slower sample", () => {
    const recovering = { ...rising, recover: { operator: "lt", value: 1 } };
    expect(spans(recovering, level([0, 6, 8, 10, 10, 16]))).toEqual([
      [1, 1, 4],
      [5, 5, 5],
    ]);
    expect(spans({ ...recovering, window: "1s" }, level([0, 6, 12, 14, 16, 16]))).toEqual([[1, 2, 5]]);
  });

  test("ends at the last sample and the gap limit when a gap breaks it", () => {
    expect(
      spans(
        rising,
        at([
          [0, 0],
          [1, 6],
          [2, 12],
          [20, 18],
          [21, 19],
          [22, 20],
        ]),
      ),
    ).toEqual([[1, 1, 7]]);
  });
});

describe("other operators", () => {
  test.each<[string, unknown, unknown[], number[]]>([
    ["lt", -5, [0, -5, -11], [2]],
    ["lte", -5, [0, -5, -11], [1]],
    ["eq", 0, [1, 1, 2], [1]],
    ["neq", 0, [1, 1, 2], [2]],
    ["between", [1, 2], [0, 3, 4.5], [2]],
    ["outside", [-1, 1], [0, 1, 0, -2], [3]],
    ["gt", "0.5", [0, 0.5, 1.25], [2]],
  ])("%s %j", (operator, value, values, expected) => {
    expect(triggers({ ...rising, operator, value }, level(values))).toEqual(expected);
  });
});

describe("several elements", () => {
  const joints = { ...rising, field: "value[:]" };
  // The first rises by 6, the second by 1, then the first by 1 and the second by 6, then both by 6.
  const values = [
    [0, 100],
    [6, 101],
    [7, 107],
    [13, 113],
  ];

  test.each<[string, number[]]>([
    ["any", [1]],
    ["all", [3]],
    // The least goes 0, 6, 7, 13, the greatest 100, 101, 107, 113, the mean 50, 53.5, 57, 63.
    ["min", [1, 3]],
    ["max", [2]],
    ["mean", [3]],
    ["count", []],
  ])("with field_mode %s", (field_mode, expected) => {
    expect(triggers({ ...joints, field_mode }, level(values))).toEqual(expected);
  });

  test("are each compared with themselves: an element that was missing has no rate yet", () => {
    expect(triggers(joints, level([[0, 100], [1], [2, 200], [3, 201]]))).toEqual([2]);
    expect(triggers(joints, level([[0], [1, 100], [2, 101]]))).toEqual([]);
    expect(
      triggers(
        joints,
        level([
          [0, 1],
          [null, 2],
          [1, 3],
        ]),
      ),
    ).toEqual([]);
    const named = { ...rising, field: "value[:].effort" };
    expect(
      triggers(
        named,
        level([
          [{ effort: 0 }, { effort: 50 }],
          [{}, { effort: 51 }],
        ]),
      ),
    ).toEqual([]);
  });

  test("of which one is NaN lose only that one's past", () => {
    expect(
      triggers(
        joints,
        level([
          [0, 0],
          [NaN, 1],
          [100, 7],
        ]),
      ),
    ).toEqual([2]);
  });

  test("all recover where any was enough to begin", () => {
    const condition = { ...joints, recover: { operator: "lt", value: 1 } };
    expect(
      spans(
        condition,
        level([
          [0, 0],
          [6, 0],
          [6, 3],
          [6, 3],
        ]),
      ),
    ).toEqual([[1, 1, 3]]);
  });

  test("beyond the first 4096 are left out, which the result notes", () => {
    const long = (last: number) => [...Array.from({ length: 4096 }, () => 0), last];
    const result = evaluate(joints, level([long(0), long(100)]));
    expect(result.hits).toEqual([]);
    expect(result.notes).toEqual(["Only the first 4096 values of each message of /tank were looked at."]);
  });
});

describe("the types of values", () => {
  test.each<[string, unknown[], number | string, number[]]>([
    ["uint64 beyond 2^53 subtract exactly", [18446744073709551600n, 18446744073709551606n], 5, [1]],
    ["int64 of both signs subtract exactly", [-9223372036854775808n, -9223372036854775802n], 5, [1]],
    ["int64 and a small number subtract exactly", [9007199254740993n, 9007199254740994], 0, [1]],
    ["whole numbers as text subtract exactly", ["9007199254740993", "9007199254740994"], 0.5, [1]],
    ["numeric text counts as its number", ["1.5", "7.5"], 5, [1]],
    [
      "times subtract to the nanosecond",
      [
        { sec: 1_700_000_000, nsec: 1 },
        { sec: 1_700_000_001, nsec: 3 },
      ],
      1.0000000015,
      [1],
    ],
  ])("%s", (_, values, value, expected) => {
    expect(triggers({ ...rising, value }, level(values))).toEqual(expected);
  });

  test("one step of a uint64 is one per second where float64 sees none", () => {
    const [hit] = evaluate(
      { ...rising, operator: "eq", value: 1 },
      level([9223372036854775808n, 9223372036854775809n]),
    ).hits;
    expect(hit?.value).toBe(1);
    expect(triggers({ ...rising, value: 0 }, level([9223372036854775808n, 9223372036854775808n]))).toEqual([]);
  });

  test.each([[["a", "b"]], [[true, false]], [[{ x: 1 }, { x: 2 }]]])("%j have no rate", (values) => {
    expect(evaluate(rising, level(values))).toMatchObject({
      status: "not_applicable",
      reason: "value of /tank never holds a value that can be compared.",
    });
  });

  test("infinite values have infinite rates, and none between them", () => {
    expect(triggers(rising, level([0, Infinity, Infinity]))).toEqual([1]);
    expect(evaluate({ ...rising, operator: "neq", value: 0 }, level([Infinity, Infinity])).hits).toEqual([]);
  });
});

describe("evidence", () => {
  test("has the rate and both samples it lies between", () => {
    const [hit] = evaluate({ ...rising, over: "2s" }, level([0, 1, 2, 3, 15, 16])).hits;
    expect(hit).toMatchObject({ value: 6.5, peak: 6.5 });
    expect(seconds(hit!.triggeredAt)).toBe(4);
    expect(hit!.evidence.leaves).toMatchObject([
      {
        type: "rate",
        field: "value",
        holds: true,
        value: 6.5,
        value_at: "4000000000",
        operator: "gt",
        threshold: 5,
        earlier: ["2000000000", 2],
        later: ["4000000000", 15],
      },
    ]);
    expect(hit!.evidence.leaves[0]!.samples.map(([, value]) => value)).toEqual([0, 1, 2, 3, 15, 16]);
  });

  test("keeps exact integers, and names the element that rose most", () => {
    const [exact] = evaluate(rising, level([9007199254740993n, 9007199254741003n])).hits;
    expect(exact!.evidence.leaves).toMatchObject([
      { value: 10, earlier: ["0", "9007199254740993"], later: ["1000000000", "9007199254741003"] },
    ]);
    const [most] = evaluate(
      { ...rising, field: "value[:]" },
      level([
        [0, 10, 20],
        [6, 19, 26],
      ]),
    ).hits;
    expect(most!.evidence.leaves).toMatchObject([{ value: 9, earlier: ["0", 10], later: ["1000000000", 19] }]);
  });

  test("shows the latest rate of a part that holds, and none of one that was never known", () => {
    const slow = { type: "threshold", topic: "/clock", field: "value", operator: "gte", value: 3 };
    const condition = {
      type: "composite",
      operator: "or",
      conditions: [slow, rising, { ...rising, over: "1h" }],
    };
    const tracks = { ...level([0, 1, 3, 4, 6]), "/clock": every(1, range(0, 4)) };
    expect(evaluate(condition, tracks).hits[0]!.evidence.leaves).toMatchObject([
      { holds: true },
      { holds: false, value: 1, value_at: "3000000000", earlier: ["2000000000", 3], later: ["3000000000", 4] },
      { holds: false, value: null, value_at: null },
    ]);
  });
});
