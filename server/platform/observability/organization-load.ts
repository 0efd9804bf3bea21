import { metrics, onScrape } from "@/server/platform/metrics";
import { processWide } from "@/server/platform/process-wide";

/** Sums in which what is older counts less: after this time a third of it. */
const fadeSeconds = 300;
const shown = 20;
/** Beyond it the least busy are forgotten. */
const maxOrganizations = 2_000;

interface Load {
  requests: number;
  seconds: number;
  /** When the sums were last brought up to date, in seconds. */
  at: number;
}

const loads = processWide("organizationLoads", () => new Map<string, Load>());

function fade(load: Load, now: number): Load {
  const factor = Math.exp((load.at - now) / fadeSeconds);
  return Object.assign(load, { requests: load.requests * factor, seconds: load.seconds * factor, at: now });
}

/** The organizations with their load, the busiest first. */
const listLoads = (now: number): [string, Load][] =>
  [...loads].map(([uid, load]): [string, Load] => [uid, fade(load, now)]).sort(([, a], [, b]) => b.seconds - a.seconds);

/** Counts a request of an organization that took so many seconds. */
export function noteLoad(organizationId: string, seconds: number, now = performance.now() / 1_000): void {
  const load = fade(loads.get(organizationId) ?? { requests: 0, seconds: 0, at: now }, now);
  load.requests++;
  load.seconds += seconds;
  loads.set(organizationId, load);
  if (loads.size <= maxOrganizations) return;
  for (const [uid] of listLoads(now).slice(maxOrganizations / 2)) loads.delete(uid);
}

/** Sets the metrics of the organizations that cause most load. */
export function showLoads(now = performance.now() / 1_000): void {
  metrics.organizationRequests.reset();
  metrics.organizationInFlight.reset();
  for (const [organization, { requests, seconds }] of listLoads(now).slice(0, shown)) {
    metrics.organizationRequests.set({ organization }, requests / fadeSeconds);
    metrics.organizationInFlight.set({ organization }, seconds / fadeSeconds);
  }
}

/** Adds the load by organization to the metrics of this process. */
export const observeLoads = (): void => onScrape("loads", () => showLoads());
