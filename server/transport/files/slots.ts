import { env } from "@/server/platform/env";
import { processWide } from "@/server/platform/process-wide";

const defaultSlots = 10;

const taken = processWide("uploadSlots", () => new Map<string, number>());

/** Maximum number of concurrent uploads of one account in this process. */
const slots = (): number =>
  env.RATE_LIMITS === "off" ? Number.POSITIVE_INFINITY : (env.RATE_LIMITS.concurrent_uploads ?? defaultSlots);

/** Takes one of the account's upload slots; returns a function that releases it, or null when all are taken. */
export function takeUploadSlot(account: string): (() => void) | null {
  const current = taken.get(account) ?? 0;
  if (current >= slots()) return null;
  taken.set(account, current + 1);
  let released = false;
  return () => {
    if (released) return;
    released = true;
    const left = (taken.get(account) ?? 1) - 1;
    if (left <= 0) taken.delete(account);
    else taken.set(account, left);
  };
}
