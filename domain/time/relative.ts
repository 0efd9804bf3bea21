import { nsFromMs, parseDateTimeNs } from "@/domain/time/nanoseconds";

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
type Unit = keyof typeof unitMs;

/** Milliseconds of a span of one unit, such as `30m`, `24h`, `7d` or `2w`; null for anything else. */
export function parseSpanMs(text: string): number | null {
  const [, amount, unit] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  return amount === undefined ? null : Number(amount) * unitMs[unit as Unit];
}

/**
 * Nanoseconds since 1970 of a time, or of a span before `now` (milliseconds) such as `-24h`; null for anything else. A
 * relative time stays relative in an address.
 */
export function parseMomentNs(text: string, now: number = Date.now()): bigint | null {
  const trimmed = text.trim();
  const spanMs = trimmed.startsWith("-") ? parseSpanMs(trimmed.slice(1)) : null;
  return spanMs === null ? parseDateTimeNs(text) : nsFromMs(now - spanMs);
}
