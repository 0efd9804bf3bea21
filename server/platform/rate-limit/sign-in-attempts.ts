import { sha256 } from "@/server/platform/crypto";
import { env } from "@/server/platform/env";
import { countInDatabase, countInMemory, uncount, type Window } from "@/server/platform/rate-limit/window-counter";
import type { RateLimitName } from "@/server/platform/rate-limits";

/** Failed attempts in the first window: of one address for all accounts, for one account, and of one for the other. */
const defaults = { sign_in_address: 30, sign_in_account: 20, sign_in_pair: 5 } satisfies Partial<
  Record<RateLimitName, number>
>;
type Subject = keyof typeof defaults;

/** Each window is longer than the one before and has room for twice as many, so that the waits grow. */
const seconds = [60, 15 * 60, 6 * 60 * 60];

const getWindows = (subject: Subject): Window[] => {
  const limit = (env.RATE_LIMITS === "off" ? undefined : env.RATE_LIMITS?.[subject]) ?? defaults[subject];
  return seconds.map((length, n) => ({ name: `${subject}_${n}`, limit: limit * 2 ** n, seconds: length }));
};

/** An attempt to sign in, counted as failed until `succeeded` is called. */
export interface Attempt {
  /** Seconds until another one is accepted; null when this one is. */
  retryAfterSeconds: number | null;
  /** Takes the attempt back from every count. */
  succeeded: () => Promise<void>;
}

export interface Attempted {
  address: string;
  email: string;
  /** Whether the account was signed in from the address before: then failures elsewhere do not lock its owner out. */
  isKnownAddress: boolean;
}

/** Counts an attempt to sign in by address, account and pair. A refused one is not counted further. */
export async function countAttempt({ address, email, isKnownAddress }: Attempted): Promise<Attempt> {
  if (env.RATE_LIMITS === "off") return { retryAfterSeconds: null, succeeded: async () => {} };
  const account = sha256(email.trim().toLowerCase());
  const subjects: [Subject, string][] = [
    ["sign_in_address", address],
    ["sign_in_pair", `${address}:${account}`],
    ...(isKnownAddress ? [] : ([["sign_in_account", account]] satisfies [Subject, string][])),
  ];
  const count = env.ROLE === "web" ? countInDatabase : countInMemory;
  const counted: [Window, string][] = [];
  for (const [subject, key] of subjects) {
    for (const window of getWindows(subject)) {
      const { long } = await count(key, window);
      counted.push([window, key]);
      if (long.requests <= window.limit) continue;
      return { retryAfterSeconds: Math.max(1, Math.ceil(long.msLeft / 1_000)), succeeded: async () => {} };
    }
  }
  return { retryAfterSeconds: null, succeeded: () => uncount(counted) };
}
