/** Delays after each failed attempt, in milliseconds; after the last one there is no other. */
export const retryDelays: readonly number[] = [
  5_000, // 5 s
  5 * 60_000,
  30 * 60_000,
  2 * 3_600_000,
  5 * 3_600_000,
  10 * 3_600_000,
  14 * 3_600_000,
  20 * 3_600_000,
  24 * 3_600_000,
];

/** Share by which a delay varies, so that what failed together is not tried together. */
const jitter = 0.2;

/**
 * Milliseconds until the next attempt after `attempts` failed ones, or null when there is none. A receiver's own wish
 * (`Retry-After`, in seconds) is honoured between the delay and twice the delay.
 */
export function nextDelay(
  attempts: number,
  retryAfterSeconds: number | null = null,
  delays: readonly number[] = retryDelays,
  random: () => number = Math.random,
): number | null {
  const base = delays[attempts - 1];
  if (base === undefined) return null;
  if (retryAfterSeconds !== null) return Math.min(Math.max(retryAfterSeconds * 1_000, base), 2 * base);
  return Math.round(base * (1 - jitter + 2 * jitter * random()));
}
