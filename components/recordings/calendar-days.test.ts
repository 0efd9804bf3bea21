import { expect, test } from "vitest";
import { listDays, readDate, shiftDate } from "./calendar-days";

const hourMs = 3_600_000;

test("four weeks end with the day of an instant, as the zone counts days", () => {
  const late = Date.UTC(2026, 10, 24, 23, 30);
  expect(listDays(late, "UTC").dates.at(-1)).toBe("2026-11-24");
  const { dates, bounds } = listDays(late, "Europe/Berlin");
  expect([dates[0], dates.at(-1), dates.length, bounds.length]).toEqual(["2026-10-29", "2026-11-25", 28, 29]);
  expect(bounds.at(-1)).toBe(Date.UTC(2026, 10, 25, 23));
});

test("the days on which clocks change have 25 and 23 hours", () => {
  const lengths = (last: number) => {
    const { bounds } = listDays(last, "Europe/Berlin");
    return bounds.slice(1).map((bound, at) => (bound - (bounds[at] ?? 0)) / hourMs);
  };
  expect(lengths(Date.UTC(2026, 9, 30)).filter((hours) => hours !== 24)).toEqual([25]);
  expect(lengths(Date.UTC(2026, 3, 2)).filter((hours) => hours !== 24)).toEqual([23]);
});

test("a date of an address is the day that ends the window", () => {
  for (const zone of ["UTC", "Europe/Berlin", "America/Los_Angeles"])
    expect(listDays(readDate("2026-11-24", zone) ?? 0, zone).dates.at(-1)).toBe("2026-11-24");
  for (const wrong of ["", "now", "2026-13-40", "24 nov"]) expect(readDate(wrong, "UTC")).toBeNull();
  expect([shiftDate("2026-03-01", -1), shiftDate("2026-11-24", 28)]).toEqual(["2026-02-28", "2026-12-22"]);
});
