import { databaseMs } from "@/server/platform/clock";

/** Longer than any delay; a number of many digits counts as this. */
const maxSeconds = 1_000_000_000;

/** Parses `Retry-After`, a number or a date, to seconds from now. Null when it is absent or neither. */
export function retryAfterSeconds(header: string | undefined, now = databaseMs()): number | null {
  if (header === undefined) return null;
  if (/^\d+$/.test(header.trim())) return Math.min(Number(header), maxSeconds);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1_000));
}
