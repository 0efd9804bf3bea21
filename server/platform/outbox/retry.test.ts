import { describe, expect, test } from "vitest";
import { retryAfterSeconds } from "@/server/platform/http-client/post";
import { defaultRetryPolicy, nextDelay } from "@/server/platform/outbox/retry";
import { underSettings } from "@/server/testing/settings";

describe("retries", () => {
  test("have delays that vary by 20 % in both directions, and end after the last one", () => {
    const { delays } = defaultRetryPolicy;
    for (const [index, base] of delays.entries()) {
      expect(nextDelay(defaultRetryPolicy, index + 1, null, () => 0)).toBe(Math.round(base * 0.8));
      expect(nextDelay(defaultRetryPolicy, index + 1, null, () => 1)).toBe(Math.round(base * 1.2));
    }
    expect(nextDelay(defaultRetryPolicy, delays.length + 1)).toBeNull();
  });

  test("are those of RETRY_DELAYS", async () => {
    await underSettings({ RETRY_DELAYS: [1_000, 2_000] }, async () => {
      const delays = [1, 2, 3].map((attempts) => nextDelay(defaultRetryPolicy, attempts, null, () => 0.5));
      expect(delays).toEqual([1_000, 2_000, null]);
    });
  });

  test("honour Retry-After up to twice the delay, and never wait less than the delay", () => {
    expect(nextDelay(defaultRetryPolicy, 1, 0)).toBe(5_000);
    expect(nextDelay(defaultRetryPolicy, 1, 7)).toBe(7_000);
    expect(nextDelay(defaultRetryPolicy, 1, 3_600)).toBe(10_000);
  });

  test("ignore Retry-After and jitter if the policy says so", () => {
    const exact = { delays: [5_000, 30_000], jitter: 0, honoursRetryAfter: false };
    expect([1, 2, 3].map((attempts) => nextDelay(exact, attempts, 3_600))).toEqual([5_000, 30_000, null]);
  });

  test("parse Retry-After as seconds or as a date", () => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    expect(retryAfterSeconds("120", now)).toBe(120);
    expect(retryAfterSeconds("Thu, 01 Jan 2026 00:00:30 GMT", now)).toBe(30);
    expect(retryAfterSeconds("Wed, 31 Dec 2025 00:00:00 GMT", now)).toBe(0);
    for (const many of ["1000000000", "9".repeat(400)]) expect(retryAfterSeconds(many, now)).toBe(1_000_000_000);
    expect(retryAfterSeconds("soon", now)).toBeNull();
    expect(retryAfterSeconds(undefined, now)).toBeNull();
  });
});
