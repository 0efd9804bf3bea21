import { describe, expect, test } from "vitest";
import { mutesAt, windowAt } from "@/server/features/silences/recurrence";

const every = [0, 1, 2, 3, 4, 5, 6];
const berlin = { time_zone: "Europe/Berlin" };
const at = (text: string) => new Date(text);
const window = (recurrence: Parameters<typeof windowAt>[0], now: string) => {
  const found = windowAt(recurrence, at(now));
  return found && [found.starts.toISOString(), found.ends.toISOString()];
};

describe("a recurring silence", () => {
  const nights = { days: every, from: "22:00", to: "06:00", ...berlin };

  test("mutes from its start hour until before its end hour, also past midnight", () => {
    // Winter: Berlin is UTC+1.
    expect(mutesAt(nights, at("2026-01-10T20:59:59Z"))).toBe(false);
    expect(mutesAt(nights, at("2026-01-10T21:00:00Z"))).toBe(true);
    expect(mutesAt(nights, at("2026-01-11T04:59:59Z"))).toBe(true);
    expect(mutesAt(nights, at("2026-01-11T05:00:00Z"))).toBe(false);
    // Summer: UTC+2.
    expect(mutesAt(nights, at("2026-07-10T19:59:59Z"))).toBe(false);
    expect(mutesAt(nights, at("2026-07-10T20:00:00Z"))).toBe(true);
  });

  test("past midnight belongs to the day it starts on", () => {
    const friday = { ...nights, days: [5] };
    expect(window(friday, "2026-01-07T12:00:00Z")).toEqual(["2026-01-09T21:00:00.000Z", "2026-01-10T05:00:00.000Z"]);
    expect(mutesAt(friday, at("2026-01-10T03:00:00Z"))).toBe(true);
    expect(mutesAt(friday, at("2026-01-11T03:00:00Z"))).toBe(false);
  });

  test("follows local time through both daylight saving changes", () => {
    // 29 March 2026: 02:00 becomes 03:00, so the night has seven hours.
    expect(window(nights, "2026-03-28T22:00:00Z")).toEqual(["2026-03-28T21:00:00.000Z", "2026-03-29T04:00:00.000Z"]);
    // 25 October 2026: 03:00 becomes 02:00, so the night has nine hours.
    expect(window(nights, "2026-10-24T21:00:00Z")).toEqual(["2026-10-24T20:00:00.000Z", "2026-10-25T05:00:00.000Z"]);
  });

  test("within the skipped hour is omitted that day; within the repeated hour covers both", () => {
    const early = { days: [0], from: "02:15", to: "02:45", ...berlin };
    expect(window(early, "2026-03-28T12:00:00Z")).toEqual(["2026-04-05T00:15:00.000Z", "2026-04-05T00:45:00.000Z"]);
    expect(window(early, "2026-10-24T12:00:00Z")).toEqual(["2026-10-25T00:15:00.000Z", "2026-10-25T01:45:00.000Z"]);
    // Partly skipped: it starts when the clocks change.
    const half = { days: [0], from: "02:30", to: "04:00", ...berlin };
    expect(window(half, "2026-03-28T12:00:00Z")).toEqual(["2026-03-29T01:00:00.000Z", "2026-03-29T02:00:00.000Z"]);
  });

  test("uses its time zone, also across the date line and with half-hour offsets", () => {
    const work = { days: [1], from: "09:00", to: "17:00" };
    expect(window({ ...work, time_zone: "Pacific/Auckland" }, "2026-01-04T12:00:00Z")?.[0]).toBe(
      "2026-01-04T20:00:00.000Z",
    );
    expect(window({ ...work, time_zone: "Asia/Kolkata" }, "2026-01-04T12:00:00Z")?.[0]).toBe(
      "2026-01-05T03:30:00.000Z",
    );
    expect(window({ ...work, time_zone: "America/Los_Angeles" }, "2026-01-04T12:00:00Z")?.[0]).toBe(
      "2026-01-05T17:00:00.000Z",
    );
  });

  test("one without recurrence mutes throughout", () => {
    expect(mutesAt(null, at("2026-01-01T00:00:00Z"))).toBe(true);
  });
});
