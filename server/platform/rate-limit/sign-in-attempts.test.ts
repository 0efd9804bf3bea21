import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { env } from "@/server/platform/env";
import { countAttempt } from "@/server/platform/rate-limit/sign-in-attempts";
import { unique } from "@/server/testing/factories";
import { underSettings } from "@/server/testing/settings";

const minute = 60;

let address: string;
let email: string;
beforeEach(() => {
  address = unique("address");
  email = `${unique("ann")}@example.com`;
});

/** Fails as often as it may, up to `max` times. Returns how often, and the seconds to wait then. */
async function failUntilRefused(attempted: () => Parameters<typeof countAttempt>[0], max = 1_000) {
  for (let failed = 0; failed < max; failed++) {
    const { retryAfterSeconds } = await countAttempt(attempted());
    if (retryAfterSeconds !== null) return { failed, wait: retryAfterSeconds };
  }
  return { failed: max, wait: null };
}

const onePair = () => ({ address, email, isKnownAddress: false });
const anyAccount = () => ({ address, email: `${unique("u")}@example.com`, isKnownAddress: false });
const anyAddress = () => ({ address: unique("a"), email, isKnownAddress: false });

// In memory, as with one web process, and in the database, as with several, which cannot be set forward.
const limits = { ...(env.RATE_LIMITS as object), sign_in_address: 30, sign_in_account: 20, sign_in_pair: 5 };
const withLimits = (role: "all" | "web", act: () => Promise<void>) =>
  underSettings({ RATE_LIMITS: limits, ROLE: role }, act);

// The clock of the database runs on while a test does.
const aMinute = expect.toSatisfy((wait) => wait > 0 && wait <= minute, "a minute");

describe.each(["all", "web"] as const)("attempts to sign in, counted with the role %s,", (role) => {
  test("are limited for one account from one address", () =>
    withLimits(role, async () => {
      expect(await failUntilRefused(onePair)).toEqual({ failed: 5, wait: aMinute });
      expect((await countAttempt(anyAccount())).retryAfterSeconds).toBeNull();
      expect((await countAttempt(anyAddress())).retryAfterSeconds).toBeNull();
    }));

  test("are limited for one address, whatever the account: spraying", () =>
    withLimits(role, async () => {
      expect(await failUntilRefused(anyAccount)).toEqual({ failed: 30, wait: aMinute });
    }));

  test("are limited for one account, whatever the address, but not from where its owner signed in before", () =>
    withLimits(role, async () => {
      expect(await failUntilRefused(anyAddress)).toEqual({ failed: 20, wait: aMinute });
      expect((await countAttempt({ ...anyAddress(), isKnownAddress: true })).retryAfterSeconds).toBeNull();
    }));

  test("count one account whatever the case of its letters", () =>
    withLimits(role, async () => {
      await failUntilRefused(onePair);
      const same = { ...onePair(), email: ` ${email.toUpperCase()} ` };
      expect((await countAttempt(same)).retryAfterSeconds).toEqual(aMinute);
    }));

  test("are not counted when they succeed", () =>
    withLimits(role, async () => {
      for (let n = 0; n < 50; n++) {
        const attempt = await countAttempt(onePair());
        expect(attempt.retryAfterSeconds).toBeNull();
        await attempt.succeeded();
      }
      expect(await failUntilRefused(onePair)).toEqual({ failed: 5, wait: aMinute });
    }));
});

describe("the wait", () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }));
  afterEach(() => void vi.useRealTimers());

  test("grows from a minute to a quarter of an hour to six hours, and ends", () =>
    withLimits("all", async () => {
      // As somebody who tries again as soon as they may.
      const waits: (number | null)[] = [];
      for (let n = 0; n < 8; n++) {
        const { wait } = await failUntilRefused(onePair, 6);
        waits.push(wait);
        vi.advanceTimersByTime((wait ?? 0) * 1_000);
      }
      const sixHours = 6 * 60 * minute;
      expect(waits).toEqual([60, 60, 13 * minute, 60, 60, 13 * minute, sixHours - 30 * minute, 60]);
    }));
});
