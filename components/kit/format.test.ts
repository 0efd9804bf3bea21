import { describe, expect, it } from "vitest";
import {
  shortestText,
  formatBytes,
  formatCompact,
  formatDuration,
  formatInstant,
  fromWallClock,
  zoneOffset,
  formatNumber,
  formatRelative,
  plural,
  truncateMiddle,
} from "./format";

const at = Date.parse("2026-03-04T14:05:09.123Z");

describe("how the interface writes measures", () => {
  it.each([
    [0, "0 ms"],
    [850, "850 ms"],
    [999.98, "999 ms"],
    [4_250, "4.2 s"],
    [9_999, "9.9 s"],
    [42_000, "42 s"],
    [185_000, "3m 05s"],
    [3_840_000, "1h 04m"],
    [183_600_000, "2d 03h"],
    [-42_000, "−42 s"],
    [Number.NaN, "–"],
  ])("a duration of %d ms reads %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [999_500, "1.00 MB"],
    [1_500, "1.50 kB"],
    [41_200_000, "41.2 MB"],
    [412_000_000_000, "412 GB"],
  ])("%d bytes read %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it("groups thousands and marks negatives with a real minus", () => {
    expect(formatNumber(-1234567.891)).toBe("−1,234,567.89");
    expect(formatCompact(12_400)).toBe("12.4k");
    expect(plural(1, "device")).toBe("1 device");
    expect(plural(0, "category", "categories")).toBe("0 categories");
  });

  it.each([
    [1_000, "now"],
    [12_000, "12 s ago"],
    [59_999, "59 s ago"],
    [240_000, "4 m ago"],
    [10_800_000, "3 h ago"],
    [777_600_000, "9 d ago"],
    [-7_200_000, "in 2 h"],
  ])("%d ms before now reads %s", (distance, text) => expect(formatRelative(at - distance, at)).toBe(text));

  it("writes an instant year first and always marks its zone", () => {
    expect(formatInstant(at, "UTC", "millisecond")).toBe("2026-03-04 14:05:09.123 UTC");
    expect(formatInstant(at, "Asia/Tokyo")).toBe("2026-03-04 23:05:09 GMT+9");
    expect(formatInstant(at, "Asia/Tokyo", "day")).toBe("2026-03-04");
  });

  it("falls back to UTC when a zone does not exist", () => {
    expect(formatInstant(at, "Nowhere/Land", "minute")).toBe("2026-03-04 14:05 UTC");
  });

  it("keeps both ends of what it shortens", () => {
    expect(truncateMiddle("0198f3a2-7c41-7a0b-9d55-0c2f5e7bc41a", 12)).toBe("0198f3…bc41a");
    expect(truncateMiddle("short", 12)).toBe("short");
  });
});

it("the offset of a zone is that of the instant, with summer time", () => {
  const hours = (text: string, zone: string) => zoneOffset(Date.parse(text), zone) / 3_600_000;
  expect(hours("2026-01-15T12:00:00.500Z", "Europe/Berlin")).toBe(1);
  expect(hours("2026-07-15T12:00:00Z", "Europe/Berlin")).toBe(2);
  expect(hours("2026-07-15T23:59:59Z", "Asia/Kolkata")).toBe(5.5);
  expect(hours("2026-07-15T00:00:00Z", "America/New_York")).toBe(-4);
});

it("a time on the clocks of a zone is the instant, also on the days that they change", () => {
  const read = (wall: string, zone: string) => new Date(fromWallClock(Date.parse(`${wall}Z`), zone)).toISOString();
  expect(read("2026-07-15T14:00:00", "Europe/Berlin")).toBe("2026-07-15T12:00:00.000Z");
  expect(read("2026-10-25T00:00:00", "Europe/Berlin")).toBe("2026-10-24T22:00:00.000Z");
  expect(read("2026-10-25T03:00:00", "Europe/Berlin")).toBe("2026-10-25T02:00:00.000Z");
  expect(read("2026-03-29T03:00:00", "Europe/Berlin")).toBe("2026-03-29T01:00:00.000Z");
});

it("writes numbers of 32 bits without the digits that only longer ones have", () => {
  expect([Math.fround(53.436928), 53.43692779541016, Math.fround(0.1), 1683, 1 / 3].map(shortestText)).toEqual([
    "53.436928",
    "53.43692779541016",
    "0.1",
    "1683",
    "0.3333333333333333",
  ]);
});
