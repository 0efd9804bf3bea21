/** When failed attempts are retried. */
export interface RetryPolicy {
  /** Milliseconds after each failed attempt; there is no attempt after the last delay. */
  delays: readonly number[];
  /** Fraction by which a delay varies, so that rows that failed together are not retried together. */
  jitter: number;
  /** Whether a receiver's `Retry-After` is honoured, between the delay and twice the delay. */
  honoursRetryAfter: boolean;
}

/** Over three days, for messages to people and programs outside. */
export const defaultRetryPolicy: RetryPolicy = {
  delays: [
    5_000, // 5 s
    5 * 60_000,
    30 * 60_000,
    2 * 3_600_000,
    5 * 3_600_000,
    10 * 3_600_000,
    14 * 3_600_000,
    20 * 3_600_000,
    24 * 3_600_000,
  ],
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
