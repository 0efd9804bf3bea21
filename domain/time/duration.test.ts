import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { durationOrZero, durationText, formatSpan, parseDuration } from "@/domain/time/duration";
import { nsFromMs, nsPerDay, nsPerSecond } from "@/domain/time/nanoseconds";

describe("durations", () => {
  test("any span up to 30 days is written and read back exactly", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 30n * nsPerDay }), (ns) => {
        expect(parseDuration(durationText(ns))).toBe(ns);
      }),
    );
  });

  test.each([
    ["500ms", 500],
    ["10s", 10_000],
    ["1m30s", 90_000],
    ["1.5h", 5_400_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ["0.5s250ms", 750],
  ])("%s is %d milliseconds", (text, ms) => expect(parseDuration(text)).toBe(nsFromMs(ms)));

  test.each([
    [500, "500ms"],
    [1_500, "1.5s"],
    [90_000, "1m30s"],
    [300_000, "5m"],
    [7_200_000, "2h"],
  ])("%d milliseconds are written %s", (ms, text) => expect(durationText(nsFromMs(ms))).toBe(text));

  test.each(["", "10", "s", "1 m", "-1s", "1e3s", "0s", "31d", `${"1".repeat(70)}s`])("%j is no duration", (text) => {
    expect(parseDuration(text)).toBeNull();
    expect(durationOrZero(text)).toBe(0n);
  });

  test("an absent duration is zero", () => {
    expect([durationOrZero(undefined), durationOrZero(null)]).toEqual([0n, 0n]);
  });

  test("a span is displayed in its largest units", () => {
    expect([formatSpan(nsFromMs(12_340)), formatSpan(250n * nsPerSecond), formatSpan(7_205n * nsPerSecond)]).toEqual([
      "12.3s",
      "4m 10s",
      "2h 5s",
    ]);
  });
});
