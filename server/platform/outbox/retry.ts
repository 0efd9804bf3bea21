import { env } from "@/server/platform/env";

/** When failed attempts are retried. */
export interface RetryPolicy {
  /** Milliseconds after each failed attempt; there is no attempt after the last delay. */
  delays: readonly number[];
  /** Fraction by which a delay varies, so that rows that failed together are not retried together. */
  jitter: number;
  /** Whether a receiver's `Retry-After` is honoured, between the delay and twice the delay. */
  honoursRetryAfter: boolean;
}

/** For messages to people and programs outside: the delays of RETRY_DELAYS, by default over three days. */
export const defaultRetryPolicy: RetryPolicy = {
  get delays() {
    return env.RETRY_DELAYS;
  },
  jitter: 0.2,
  honoursRetryAfter: true,
};

/** Milliseconds until the next attempt after `attempts` failed ones, or null when there is none. */
export function nextDelay(
  { delays, jitter, honoursRetryAfter }: RetryPolicy,
  attempts: number,
  retryAfterSeconds: number | null = null,
  random: () => number = Math.random,
): number | null {
  const base = delays[attempts - 1];
  if (base === undefined) return null;
  if (honoursRetryAfter && retryAfterSeconds !== null)
    return Math.min(Math.max(retryAfterSeconds * 1_000, base), 2 * base);
  return Math.round(base * (1 - jitter + 2 * jitter * random()));
}
