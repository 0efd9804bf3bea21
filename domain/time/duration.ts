import { msFromNs, nsPerDay, nsPerMs, nsPerSecond } from "@/domain/time/nanoseconds";

const unitNs = {
  ms: nsPerMs,
  s: nsPerSecond,
  m: 60n * nsPerSecond,
  h: 3_600n * nsPerSecond,
  d: nsPerDay,
} as const;
type Unit = keyof typeof unitNs;

const shape = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const pieces = /(\d+)(?:\.(\d+))?(ms|s|m|h|d)/g;
const maxDurationNs = 30n * nsPerDay;

/**
 * Nanoseconds of a duration such as `10s`, `1.5h` or `1m30s`; null when it is malformed, zero, or longer than 30 days.
 * Exact, without floating point; fractions of a nanosecond are cut off.
 */
export function parseDuration(text: string): bigint | null {
  if (text.length > 64 || !shape.test(text)) return null;
  let total = 0n;
  for (const [, integer = "", fraction = "", unit] of text.matchAll(pieces)) {
    total += (BigInt(integer + fraction) * unitNs[unit as Unit]) / 10n ** BigInt(fraction.length);
  }
  return total > 0n && total <= maxDurationNs ? total : null;
}

/** Nanoseconds of an optional duration; 0 when it is absent or not a valid duration. */
export const durationOrZero = (text: string | null | undefined): bigint => (text ? (parseDuration(text) ?? 0n) : 0n);

/** Formats nanoseconds exactly, as `parseDuration` reads them: `1m30s`, `500ms`, `2h`. */
export function durationText(ns: bigint): string {
  if (ns < nsPerSecond) return `${decimal(ns, nsPerMs)}ms`;
  const parts = [
    [ns / unitNs.h, "h"],
    [(ns % unitNs.h) / unitNs.m, "m"],
    [decimal(ns % unitNs.m, nsPerSecond), "s"],
  ] as const;
  return parts.map(([amount, unit]) => (String(amount) === "0" ? "" : `${amount}${unit}`)).join("");
}

function decimal(ns: bigint, unit: bigint): string {
  const fraction = (ns % unit)
    .toString()
    .padStart(String(unit).length - 1, "0")
    .replace(/0+$/, "");
  return `${ns / unit}${fraction && `.${fraction}`}`;
}

/** Formats nanoseconds for display: `12.3s`, `4m 10s`. */
export function formatSpan(ns: bigint): string {
  const ms = msFromNs(ns);
  if (ms < 1000) return `${ms}ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))}s`;
  const seconds = Math.round(ms / 1000);
  const parts = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(" ");
}
