import { describe, expect, test } from "vitest";
import { spannedDays } from "@/domain/rules/spanned-days";
import { previewRate, rateOverLast } from "./hit-summary";
import type { Preview } from "./query";

const recording = (from: string, to: string, status: "evaluated" | "error" = "evaluated") => ({
  ...{ recording_id: from, recording_name: "", device_id: "", device_name: "", hits: [], hit_count: 0, notes: [] },
  ...{ started_at: from, ended_at: to, status, suppressed: 0, storm: false },
});
const preview = (hits: number, ...recordings: Preview["recordings"]): Preview => ({
  ...{ recordings, hit_count: hits, device_count: 1, devices_total: 1, hits_per_day: 0, longest_seconds: null },
  ...{ condition_text: "", warnings: [] },
});
const [first, last] = [
  recording("2026-11-01T00:00:00.000Z", "2026-11-01T01:00:00.000Z"),
  recording("2026-11-04T00:00:00.000Z", "2026-11-05T00:00:00.000Z"),
];

describe("hits a day", () => {
  test("over the last days are counted as the noise of a rule is, whichever days had recordings", () => {
    const rate = { perDay: 0.4, text: "0.4 a day over the last 30 days" };
    expect(previewRate(preview(12, first, last), 30)).toEqual(rate);
    expect(rateOverLast(12, 30)).toEqual(rate);
  });

  test("of the latest recordings are counted over the days that those span, which they name", () => {
    expect(previewRate(preview(12, first, last), null)).toEqual({
      perDay: 3,
      text: "3 a day over the 4 days of these recordings",
    });
    const failed = recording("2026-10-01T00:00:00.000Z", "2026-10-01T01:00:00.000Z", "error");
    expect(previewRate(preview(12, failed, first, last), null).perDay).toBe(3);
    expect(previewRate(preview(12, first), null)).toEqual({
      perDay: 12,
      text: "within one day",
    });
  });

  test("of as many recordings as a preview looks at are not taken for all of the chosen days", () => {
    const many = Array.from({ length: 1_000 }, () => last);
    expect(previewRate(preview(30, ...many), 30).text).toBe("within one day");
  });
});

test("no recordings, and those of an hour, span a day", () => {
  expect(spannedDays([])).toBe(1);
  expect(spannedDays([{ from: first.started_at, to: first.ended_at }])).toBe(1);
});
