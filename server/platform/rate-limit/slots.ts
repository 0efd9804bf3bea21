import { env } from "@/server/platform/env";
import { metrics } from "@/server/platform/metrics";
import { processWide } from "@/server/platform/process-wide";

/** How many of a kind an account may have at the same time in one process. */
const defaults = {
  concurrent_uploads: 10,
  concurrent_streams: 20,
  concurrent_cuts: 4,
  concurrent_cuts_total: 12,
  concurrent_prompts: 2,
};
type SlotName = keyof typeof defaults;

const gauges: Partial<Record<SlotName, { inc: () => void; dec: () => void }>> = {
  concurrent_uploads: metrics.uploads,
  concurrent_streams: metrics.eventStreams,
};

const taken = processWide("takenSlots", () => new Map<string, number>());

const max = (name: SlotName): number =>
  env.RATE_LIMITS === "off" ? Number.POSITIVE_INFINITY : (env.RATE_LIMITS[name] ?? defaults[name]);

/** Takes one of the account's slots; returns a function that releases it, or null when all are taken. */
export function takeSlot(name: SlotName, account: string): (() => void) | null {
  const key = `${name}:${account}`;
  const current = taken.get(key) ?? 0;
  if (current >= max(name)) {
    metrics.throttled.inc({ limit: name });
    return null;
  }
  taken.set(key, current + 1);
  gauges[name]?.inc();
  let released = false;
  return () => {
    if (released) return;
    released = true;
    gauges[name]?.dec();
    const left = (taken.get(key) ?? 1) - 1;
    if (left <= 0) taken.delete(key);
    else taken.set(key, left);
  };
}
