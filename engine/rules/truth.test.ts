import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { topicMatcher } from "@/domain/conditions/expressions";
import { toBound, compareWithBound } from "@/domain/conditions/number";
import type { Operator } from "@/domain/conditions/operators";
import { PatternTest } from "@/engine/rules/pattern";
import { broken, ListTest, no, unknown, valueTest, yes, type Comparison } from "@/engine/rules/truth";

const judge = (operator: Operator, value: Comparison["value"], sample: unknown) =>
  valueTest({ operator, value }).judge(sample);

describe("ordering", () => {
  test.each<[Operator, Comparison["value"], unknown, number]>([
    ["gt", 80, 80, no],
    ["gte", 80, 80, yes],
    ["lt", 80, 79.9, yes],
    ["lte", 80, 80.1, no],
    ["between", [1, 3], 1, yes],
    ["between", [1, 3], 3, yes],
    ["between", [1, 3], 3.5, no],
    ["outside", [1, 3], 3, no],
    ["outside", [1, 3], 0.9, yes],
    ["gt", 80, "80.5", yes],
    ["gt", 80, " 81 ", yes],
    ["gt", 80, "8.1e1", yes],
    ["gt", 80, "hot", broken],
    ["gt", 80, "", broken],
    ["gt", 80, "nan", broken],
    ["gt", 80, "inf", yes],
    ["lt", 80, "-Infinity", yes],
    ["gt", 0, true, broken],
    ["gt", 0, NaN, broken],
    ["gt", 0, Infinity, yes],
    ["lt", 0, -Infinity, yes],
    ["between", [0, 1], NaN, broken],
    ["outside", [0, 1], Infinity, yes],
    ["gt", 0, null, unknown],
    ["gt", 0, undefined, unknown],
    ["gt", 0, { x: 1 }, broken],
    ["gt", 4.5, 5n, yes],
    ["gt", "9223372036854775807.5", 9223372036854775807n, no],
    ["gt", "9223372036854775807.5", 9223372036854775808n, yes],
    ["gt", "9007199254740992", 9007199254740993n, yes],
    ["gt", "9007199254740993", 9007199254740992, no],
    ["gt", "9007199254740991.5", 9007199254740992, yes],
    ["lt", "-9007199254740993.5", -9007199254740994n, yes],
    ["gt", 1.4, { sec: 1, nsec: 500_000_000 }, yes],
    ["gt", "1700000000.000000001", { sec: 1_700_000_000, nsec: 2 }, yes],
    ["gt", "1700000000.000000001", { sec: 1_700_000_000, nsec: 1 }, no],
    ["lt", 0, { sec: -1, nsec: 500_000_000 }, yes],
    ["gt", 5, { seconds: 6n, nanos: 0 }, yes],
  ])("%s %j of %s is %i", (operator, value, sample, expected) => {
    expect(judge(operator, value, sample)).toBe(expected);
  });

  test("of 64-bit integers and decimals is exact", () => {
    const int = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n });
    fc.assert(
      fc.property(int, fc.integer({ min: -2, max: 2 }), fc.constantFrom("", ".5"), (base, shift, fraction) => {
        const sample = base + BigInt(shift);
        const doubled = base * 2n + (fraction === "" ? 0n : base < 0n ? -1n : 1n);
        const text = base === 0n && doubled < 0n ? `-0${fraction}` : `${base}${fraction}`;
        const expected = sample * 2n < doubled ? -1 : sample * 2n > doubled ? 1 : 0;
        const bound = toBound(text)!;
        expect(compareWithBound(sample, bound)).toBe(expected);
        expect(compareWithBound(String(sample), bound)).toBe(expected);
        expect(
          Math.abs(Number(sample)) > Number.MAX_SAFE_INTEGER ? expected : compareWithBound(Number(sample), bound),
        ).toBe(expected);
      }),
    );
  });
  test("is fast for a text with a huge exponent", () => {
    expect(judge("gt", 1, "1e999999999")).toBe(broken);
    expect(judge("gt", 1, "9".repeat(10_000))).toBe(broken);
  });
});

describe("equality", () => {
  test.each<[Comparison["value"], unknown, number]>([
    [85, "85", yes],
    ["85.0", "85", yes],
    ["85", 85, yes],
    [0.1, "0.10", yes],
    ["ERROR", "ERROR", yes],
    ["ERROR", "error", no],
    ["ERROR", 5, no],
    [5, "five", no],
    [true, true, yes],
    [true, 1, yes],
    [true, 1n, yes],
    [false, 0, yes],
    [true, 2, no],
    [1, true, yes],
    [0, false, yes],
    [2, true, no],
    [true, "true", yes],
    [true, "1", yes],
    ["true", true, yes],
    ["9223372036854775808", 9223372036854775809n, no],
    ["9223372036854775809", 9223372036854775809n, yes],
    [1.5, { sec: 1, nsec: 500_000_000 }, yes],
    ["", "", yes],
  ])("%j of %s is %i, and inequality the opposite", (value, sample, expected) => {
    expect(judge("eq", value, sample)).toBe(expected);
    expect(judge("neq", value, sample)).toBe(expected === yes ? no : yes);
  });
  test.each<[Comparison["value"], unknown, number]>([
    [5, NaN, broken],
    [5, "NaN", broken],
    [true, NaN, broken],
    ["ERROR", NaN, broken],
    [5, null, unknown],
    [5, undefined, unknown],
    ["x", { x: 1 }, broken],
  ])("neither eq nor neq %j is true of %s", (value, sample, expected) => {
    expect(judge("eq", value, sample)).toBe(expected);
    expect(judge("neq", value, sample)).toBe(expected);
  });
  test("knows enumerations by name and by number", () => {
    const names = new Map([["WARN", 1]]);
    for (const [value, sample] of [
      ["WARN", 1],
      ["WARN", "WARN"],
      [1, "WARN"],
      [1, 1n],
    ] as const) {
      expect(valueTest({ operator: "eq", value }, names).judge(sample)).toBe(yes);
    }
    expect(valueTest({ operator: "gte", value: 1 }, names).judge("WARN")).toBe(yes);
    expect(valueTest({ operator: "eq", value: "WARN" }, names).judge(2)).toBe(no);
  });
});

describe("many values", () => {
  const hot = valueTest({ operator: "gt", value: 80 });
  test.each<["any" | "all", unknown[], number]>([
    ["any", [70, 90], yes],
    ["any", [70, NaN], no],
    ["any", [NaN, NaN], broken],
    ["any", [NaN, 90], yes],
    ["any", [null, 90], yes],
    ["any", [null], unknown],
    ["any", [], unknown],
    ["all", [81, 90], yes],
    ["all", [81, 70], no],
    ["all", [81, NaN], broken],
    ["all", [81, null], yes],
    ["all", [], unknown],
  ])("%s of %j is %i", (mode, values, expected) => {
    expect(new ListTest(hot, mode).judge(values)).toBe(expected);
  });
  test("are represented by the most extreme that holds", () => {
    expect(new ListTest(hot, "any").witness([70, 85, 99, 81])).toBe(99);
    expect(new ListTest(hot, "any").witness([70, 60])).toBe(70);
  });
});

describe("a pattern", () => {
  test.each<[string, unknown, number]>([
    ["rror", "an Error came", yes],
    ["^rror", "an Error came", no],
    ["error", "an Error came", no],
    ["(?i)error", "an Error came", yes],
    ["^85$", 85, yes],
    ["^8.5$", 8.5, yes],
    ["true", true, yes],
    ["36854775809", 9223372036854775809n, yes],
    ["NaN", NaN, no],
    [".", { a: 1 }, no],
    [".", null, unknown],
    ["x$", `${"a".repeat(4096)}x`, no],
  ])("%s in %s is %i", (regex, value, expected) => {
    expect(new PatternTest(regex).judge(value)).toBe(expected);
  });
  test("that makes other engines backtrack is searched in linear time", () => {
    const test = new PatternTest("(a+)+$");
    for (let length = 4000; length < 4050; length++) expect(test.judge(`${"a".repeat(length)}b`)).toBe(no);
  });
});

describe("a topic glob", () => {
  test.each([
    ["/sensors/*/error", "/sensors/left/error", true],
    ["/sensors/*/error", "/sensors/left/right/error", false],
    ["/sensors/**/error", "/sensors/left/right/error", true],
    ["/sensors/*", "/sensors/", true],
    ["*", "/a", false],
    ["**", "/a/b", true],
    ["/a.b*", "/aXb", false],
    ["/a", "/a", true],
    ["/a", "/ab", false],
  ])("%s against %s: %s", (glob, topic, expected) => {
    expect(topicMatcher(glob)(topic)).toBe(expected);
  });
});
