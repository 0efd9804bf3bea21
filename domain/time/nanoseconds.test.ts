import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  dateFromNs,
  exactIsoFromNs,
  isoFromNs,
  maxNs,
  nsFromMs,
  nsPerSecond,
  parseDateTimeNs,
  shortIsoFromNs,
} from "@/domain/time/nanoseconds";

const anyTime = fc.bigInt({ min: 0n, max: maxNs });

describe("nanoseconds", () => {
  test("a time written to the nanosecond is read back exactly", () => {
    fc.assert(
      fc.property(anyTime, (ns) => {
        expect(parseDateTimeNs(exactIsoFromNs(ns))).toBe(ns);
        expect(parseDateTimeNs(shortIsoFromNs(ns))).toBe(ns);
      }),
    );
  });

  test("a time before 1970 is read with an earlier minimum year, and refused by the API", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -86_400n * nsPerSecond, max: -1n }), (ns) => {
        expect(parseDateTimeNs(exactIsoFromNs(ns), 1900)).toBe(ns);
        expect(parseDateTimeNs(exactIsoFromNs(ns))).toBeNull();
      }),
    );
  });

  test("times to the millisecond are rounded down", () => {
    const ns = nsFromMs(Date.UTC(2026, 1, 28, 23, 59, 59, 999)) + 999_999n;
    expect(isoFromNs(ns)).toBe("2026-02-28T23:59:59.999Z");
    expect(dateFromNs(ns).getTime()).toBe(Date.UTC(2026, 1, 28, 23, 59, 59, 999));
    fc.assert(
      fc.property(anyTime, (time) => {
        expect(nsFromMs(dateFromNs(time))).toBeLessThanOrEqual(time);
      }),
    );
  });

  test("the short form has no trailing zeros", () => {
    const at = nsFromMs(Date.UTC(2026, 0, 2, 3, 4, 5));
    expect(shortIsoFromNs(at)).toBe("2026-01-02T03:04:05Z");
    expect(shortIsoFromNs(at + 120_000_000n)).toBe("2026-01-02T03:04:05.12Z");
    expect(shortIsoFromNs(at + 1n)).toBe("2026-01-02T03:04:05.000000001Z");
  });

  test.each([
    ["2026-01-02 03:04", "2026-01-02T03:04:00.000Z"],
    ["2026-01-02T03:04:05.1234567899Z", "2026-01-02T03:04:05.123Z"],
    ["2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05.000Z"],
    ["2026-01-02T03:04:05-0130", "2026-01-02T04:34:05.000Z"],
    ["2026-01-02T03:04:05 02:00", "2026-01-02T01:04:05.000Z"],
    ["2026-01-02 03:04 02:00", "2026-01-02T01:04:00.000Z"],
    ["2026-01-02T03:04:05.5 0545", "2026-01-01T21:19:05.500Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
  ])("%s is read as %s", (text, iso) => expect(isoFromNs(parseDateTimeNs(text) ?? 0n)).toBe(iso));

  test.each([
    "",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-02T24:00:00Z",
    "2026-01-02",
    "2026-01-02T03:04:05  02:00",
    "2026-01-02T03:04:05 24:00",
    "2026-01-02T03:04:05 02",
    "-24h",
    "1969-12-31T23:59:59Z",
  ])("%j is no time", (text) => expect(parseDateTimeNs(text)).toBeNull());
});
