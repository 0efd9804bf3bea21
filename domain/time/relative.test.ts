import { describe, expect, test } from "vitest";
import { moment, momentNs, spanMs, timestamp } from "@/domain/time/fields";
import { maxNs, nsFromMs } from "@/domain/time/nanoseconds";
import { parseMomentNs, parseSpanMs } from "@/domain/time/relative";

const now = Date.UTC(2026, 10, 20, 12);

describe("relative times", () => {
  test.each([
    ["30m", 1_800_000],
    ["24h", 86_400_000],
    ["7d", 604_800_000],
    ["2w", 1_209_600_000],
  ])("%s is a span of %d milliseconds", (text, ms) => {
    expect(parseSpanMs(text)).toBe(ms);
    expect(parseMomentNs(`-${text}`, now)).toBe(nsFromMs(now - ms));
  });

  test.each(["24", "h", "1.5h", "24 h", "-24h", "123456h", "10s"])("%j is no span", (text) =>
    expect(parseSpanMs(text)).toBeNull(),
  );

  test("a moment is a relative or an absolute time, and nothing else", () => {
    expect(parseMomentNs("2026-11-20T12:00:00Z")).toBe(nsFromMs(now));
    for (const text of ["24h", "yesterday", "", "--24h"]) expect(parseMomentNs(text, now)).toBeNull();
  });

  test("screens accept relative times, the API does not", () => {
    const before = Date.now();
    const since = moment().parse("-1h").getTime();
    expect(since).toBeGreaterThanOrEqual(before - 3_600_000);
    expect(since).toBeLessThanOrEqual(Date.now() - 3_600_000);
    expect(timestamp().safeParse("-1h").success).toBe(false);
    expect(moment().safeParse("soon").error?.issues[0]?.message).toBe("Enter a time, or how long ago, such as -24h.");
  });

  test("a time beyond 64 bits is clamped", () => {
    expect(momentNs().parse("9999-01-01T00:00:00Z")).toBe(maxNs);
  });

  test("a filter's span is positive", () => {
    const field = spanMs("Enter how long.");
    expect(field.parse("6h")).toBe(21_600_000);
    for (const text of ["0m", "6", "-6h"])
      expect(field.safeParse(text).error?.issues[0]?.message).toBe("Enter how long.");
  });
});
