import { z } from "zod";
import { expects } from "@/domain/field-messages";

const unitNs = {
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
} as const;
type Unit = keyof typeof unitNs;

const shape = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const parts = /(\d+)(?:\.(\d+))?(ms|s|m|h|d)/g;
const longest = 30n * unitNs.d;

/**
 * Nanoseconds of a duration such as `10s`, `1.5h` or `1m30s`; null when it is malformed, zero, or longer than 30 days.
 * Exact: no floating point on the way; what is finer than a nanosecond is cut off.
 */
export function parseDuration(text: string): bigint | null {
  if (text.length > 64 || !shape.test(text)) return null;
  let total = 0n;
  for (const [, whole = "", fraction = "", unit] of text.matchAll(parts)) {
    total += (BigInt(whole + fraction) * unitNs[unit as Unit]) / 10n ** BigInt(fraction.length);
  }
  return total > 0n && total <= longest ? total : null;
}

/** Nanoseconds of an optional duration that has already been validated; 0 when it is absent. */
export const durationOrZero = (text: string | undefined): bigint =>
  text === undefined ? 0n : (parseDuration(text) ?? 0n);

const wording = "Enter a duration such as 10s, 5m or 1m30s: more than zero, at most 30d.";

/** A duration string, kept as it was sent. */
export const durationSchema = z
  .string({ error: expects("Not a valid string.") })
  .refine((text) => parseDuration(text) !== null, { error: wording });

/** A span of nanoseconds for people: `12.3s`, `4m 10s`. */
export function formatSpan(ns: bigint): string {
  const ms = Number(ns / 1_000_000n);
  if (ms < 1000) return `${ms}ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))}s`;
  const seconds = Math.round(ms / 1000);
  const pieces = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  return pieces
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(" ");
}
