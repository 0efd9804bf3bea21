import { expect, test } from "vitest";
import { formatDays, endsSoon, formatRecurrence, getState } from "./silence-texts";

test("days are described in words", () => {
  expect(formatDays([0, 1, 2, 3, 4, 5, 6])).toBe("every day");
  expect(formatDays([1, 2, 3, 4, 5])).toBe("Mon–Fri");
  expect(formatDays([0, 6])).toBe("Sat, Sun");
  expect(formatDays([1, 3, 4, 5, 0])).toBe("Mon, Wed–Fri, Sun");
  expect(formatRecurrence({ days: [5], from: "22:00", to: "06:00", time_zone: "UTC" })).toBe("Fri 22:00–06:00 UTC");
});

test("a silence outside its hours waits; one that ends within the hour ends soon", () => {
  expect(getState({ state: "active", muting: false })).toBe("waiting");
  expect(getState({ state: "active", muting: true })).toBe("muting");
  expect(getState({ state: "expired", muting: false })).toBe("expired");
  const now = Date.parse("2026-01-01T00:00:00Z");
  expect(endsSoon({ state: "active", ends_at: "2026-01-01T00:59:00Z" }, now)).toBe(true);
  expect(endsSoon({ state: "active", ends_at: "2026-01-01T01:01:00Z" }, now)).toBe(false);
  expect(endsSoon({ state: "scheduled", ends_at: "2026-01-01T00:30:00Z" }, now)).toBe(false);
});
