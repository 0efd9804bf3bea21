import { databaseMs } from "@/server/platform/clock";
import { env } from "@/server/platform/env";
import { ServiceError } from "@/server/platform/errors";
import { metrics } from "@/server/platform/metrics";
import { countInDatabase, countInMemory, type Counter, type Window } from "@/server/platform/rate-limit/window-counter";
import type { RateLimitName } from "@/server/platform/rate-limits";

/** Defaults of every window; RATE_LIMITS overrides them. */
const defaults = {
  user_minute: 100,
  user_second: 20,
  anonymous_minute: 30,
  signup_minute: 5,
  inference_minute: 10,
  device_minute: 600,
  device_second: 60,
  heartbeat_minute: 1_200,
  trpc_minute: 1_200,
  trpc_second: 100,
  page_minute: 600,
  page_second: 60,
  csv_minute: 30,
  prompt_minute: 60,
} satisfies Partial<Record<RateLimitName, number>>;
type WindowName = keyof typeof defaults;

/** The state of the minute window for the headers and, for a refused request, the seconds until a retry is accepted. */
export interface Verdict {
  limit: number;
  remaining: number;
  /** Unix seconds. */
  resetAt: number;
  retryAfterSeconds: number | null;
}

/** A single web process counts in memory; several share their windows through PostgreSQL. */
const counter = (): Counter => (env.ROLE === "web" ? countInDatabase : countInMemory);

function getWindow(name: WindowName): Window {
  const limit = (env.RATE_LIMITS === "off" ? undefined : env.RATE_LIMITS?.[name]) ?? defaults[name];
  return { name, limit, seconds: name.endsWith("_second") ? 1 : 60 };
}

export type LimitedAs =
  | "user"
  | "device"
  | "heartbeat"
  | "anonymous"
  | "signup"
  | "inference"
  | "trpc"
  | "page"
  | "csv"
  | "prompt";

const windows: Record<LimitedAs, readonly [WindowName, WindowName?]> = {
  user: ["user_minute", "user_second"],
  device: ["device_minute", "device_second"],
  heartbeat: ["heartbeat_minute"],
  trpc: ["trpc_minute", "trpc_second"],
  page: ["page_minute", "page_second"],
  csv: ["csv_minute"],
  prompt: ["prompt_minute"],
  anonymous: ["anonymous_minute"],
  signup: ["signup_minute"],
  inference: ["inference_minute"],
};

/** The refusal (429) of a request beyond its limit. */
export const throttled = (seconds: number): ServiceError =>
  new ServiceError("throttled", {
    detail: `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? "" : "s"}.`,
    retryAfterSeconds: seconds,
  });

/**
 * Counts one request of `key`, or as many as it counts for, and resolves to whether it is accepted. Fixed windows start at
 * their first request.
 */
export async function countRequest(as: LimitedAs, key: string, requests = 1): Promise<Verdict> {
  const [minuteName, secondName] = windows[as];
  if (env.RATE_LIMITS === "off") {
    return {
      limit: 1_000_000,
      remaining: 1_000_000,
      resetAt: Math.ceil(databaseMs() / 1000) + 60,
      retryAfterSeconds: null,
    };
  }
  const [minute, second] = [getWindow(minuteName), secondName && getWindow(secondName)];
  const verdict = judge(minute, second, await counter()(key, minute, second, requests));
  if (verdict.retryAfterSeconds !== null) metrics.throttled.inc({ limit: as });
  return verdict;
}

/** A request refused by the short window is not counted in the minute, which may be full nevertheless. */
function judge(minute: Window, second: Window | undefined, { long, short }: Awaited<ReturnType<Counter>>): Verdict {
  const refusedShort = second !== undefined && short !== null && short.requests > second.limit;
  const refusedLong = long.requests > minute.limit || (refusedShort && long.requests === minute.limit);
  const waits = [...(refusedShort ? [short.msLeft] : []), ...(refusedLong ? [long.msLeft] : [])];
  return {
    limit: minute.limit,
    remaining: Math.max(0, minute.limit - long.requests),
    resetAt: Math.ceil(long.endsAt / 1000),
    retryAfterSeconds: waits.length > 0 ? Math.max(1, Math.ceil(Math.max(...waits) / 1000)) : null,
  };
}
