import { describe, expect, test } from "vitest";
import { retryAfterSeconds } from "@/server/platform/http-client/retry-after";
import { nextDelay, retryDelays } from "@/server/platform/outbox/retry";

describe("retries", () => {
  test("each delay varies by a fifth either way, and after the last there is none", () => {
    for (const [index, base] of retryDelays.entries()) {
      expect(nextDelay(index + 1, null, retryDelays, () => 0)).toBe(Math.round(base * 0.8));
      expect(nextDelay(index + 1, null, retryDelays, () => 1)).toBe(Math.round(base * 1.2));
    }
    expect(nextDelay(retryDelays.length + 1)).toBeNull();
  });

  test("a receiver may ask for up to twice the delay, never for less than it", () => {
    expect(nextDelay(1, 0)).toBe(5_000);
    expect(nextDelay(1, 7)).toBe(7_000);
    expect(nextDelay(1, 3_600)).toBe(10_000);
  });

  test("Retry-After is read as seconds or as a date", () => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    expect(retryAfterSeconds("120", now)).toBe(120);
    expect(retryAfterSeconds("Thu, 01 Jan 2026 00:00:30 GMT", now)).toBe(30);
    expect(retryAfterSeconds("Wed, 31 Dec 2025 00:00:00 GMT", now)).toBe(0);
    expect(retryAfterSeconds("soon", now)).toBeNull();
    expect(retryAfterSeconds(undefined, now)).toBeNull();
  });
});
