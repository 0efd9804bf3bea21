import { describe, expect, test } from "vitest";
import { describeTime } from "@/components/kit/filters";
import { RecordingScreenFilters } from "@/domain/recordings/schema";
import { readCovered } from "./covered-time";

/** A Friday, 12:00 UTC. */
const now = Date.UTC(2026, 10, 27, 12);

describe("the time that recordings cover, as it is typed", () => {
  test.each([
    ["14:10", "UTC", "2026-11-26T14:10:00.000Z"],
    ["11:10", "UTC", "2026-11-27T11:10:00.000Z"],
    ["tue 14:10", "Europe/Berlin", "2026-11-24T13:10:00.000Z"],
    ["2026-11-24 14:10", "Europe/Berlin", "2026-11-24T13:10:00.000Z"],
    ["2026-11-24T14:10Z", "Europe/Berlin", "2026-11-24T14:10Z"],
    ["-2h", "UTC", "-2h"],
    ["today", "UTC", "2026-11-27T00:00:00.000Z/2026-11-28T00:00:00.000Z"],
    ["fri", "UTC", "2026-11-27T00:00:00.000Z/2026-11-28T00:00:00.000Z"],
    ["2026-11-24", "Europe/Berlin", "2026-11-23T23:00:00.000Z/2026-11-24T23:00:00.000Z"],
    // A day of 25 hours.
    ["25 oct", "Europe/Berlin", "2026-10-24T22:00:00.000Z/2026-10-25T23:00:00.000Z"],
    ["2026-11-24T00:00Z/2026-11-25T00:00Z", "UTC", "2026-11-24T00:00Z/2026-11-25T00:00Z"],
  ])("%s in %s", (text, zone, value) => {
    expect(readCovered(text, now, zone)).toBe(value);
    expect(RecordingScreenFilters.safeParse({ covers: value }).success).toBe(true);
  });

  test.each(["", "soon", "arm 14:10", "arm tue", "24:10", "2026-13-24"])("%j means none", (text) =>
    expect(readCovered(text, now, "UTC")).toBeNull(),
  );
});

test.each([
  ["2026-11-24T13:10:00.000Z", "2026-11-24 14:10 GMT+1"],
  ["2026-11-23T23:00:00.000Z/2026-11-24T23:00:00.000Z", "2026-11-24"],
  ["2026-11-23T23:00:00.000Z/2026-11-26T23:00:00.000Z", "2026-11-24 to 2026-11-26"],
  ["2026-11-24T13:10Z/2026-11-24T14:10Z", "2026-11-24 14:10 GMT+1 to 2026-11-24 15:10 GMT+1"],
  ["-2h", "-2h"],
])("%s is shown as %s", (value, shown) => expect(describeTime(value, "Europe/Berlin")).toBe(shown));
