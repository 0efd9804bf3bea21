import { expect, test } from "vitest";
import { dayStart } from "./query";

test.each([
  ["UTC", "2026-03-04T14:05:09Z", "2026-03-04T00:00:00.000Z"],
  ["Europe/Berlin", "2026-03-04T23:30:00Z", "2026-03-04T23:00:00.000Z"],
  ["America/New_York", "2026-03-04T03:00:00Z", "2026-03-03T05:00:00.000Z"],
  ["Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00.000Z"],
  ["Europe/Berlin", "2026-10-25T12:00:00Z", "2026-10-24T22:00:00.000Z"],
])("today in %s at %s began at %s, also on days that clocks change", (zone, now, start) => {
  expect(dayStart(zone, Date.parse(now))).toBe(start);
});
