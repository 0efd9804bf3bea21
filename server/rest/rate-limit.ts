import { RateLimiterMemory, RateLimiterPostgres, type RateLimiterAbstract, type RateLimiterRes } from "rate-limiter-flexible";
import { pool } from "@/server/db";
import { env, type RateLimitName } from "@/server/env";
import { processWide } from "@/server/process-wide";

/** Defaults of every window; RATE_LIMITS overrides them. */
const defaults = {
  user_minute: 100,
  user_second: 20,
  anonymous_minute: 30,
  signup_minute: 5,
  inference_minute: 10,
  device_minute: 600,
  device_second: 60,
  trpc_minute: 1_200,
  trpc_second: 100,
} satisfies Partial<Record<RateLimitName, number>>;
type WindowName = keyof typeof defaults;

/** What the headers say of the minute window, and, when a window is exhausted, in how many seconds it opens again. */
export interface Verdict {
  limit: number;
  remaining: number;
  /** Unix seconds. */
  resetAt: number;
  retryAfterSeconds: number | null;
}

/** A web process that runs alone counts in memory; one of several shares its windows through PostgreSQL. */
const shared = () => env.ROLE === "web";

function limiter(name: WindowName): { limiter: RateLimiterAbstract; points: number } {
  const points = (env.RATE_LIMITS === "off" ? undefined : env.RATE_LIMITS?.[name]) ?? defaults[name];
  const options = { points, duration: name.endsWith("_second") ? 1 : 60, keyPrefix: name };
  return {
    points,
    limiter: shared()
      ? new RateLimiterPostgres({ ...options, storeClient: pool, tableName: "rate_limits", tableCreated: true })
      : new RateLimiterMemory(options),
  };
}
const limiters = processWide("limiters", () => new Map<WindowName, ReturnType<typeof limiter>>());
const limiterOf = (name: WindowName) => {
  let found = limiters.get(name);
  if (!found) limiters.set(name, (found = limiter(name)));
  return found;
};

const isVerdict = (value: unknown): value is RateLimiterRes =>
  typeof value === "object" && value !== null && "msBeforeNext" in value;

async function consume(name: WindowName, key: string): Promise<{ state: RateLimiterRes; passed: boolean; points: number }> {
  const { limiter: counter, points } = limiterOf(name);
  try {
    return { state: await counter.consume(key), passed: true, points };
  } catch (refusal) {
    if (isVerdict(refusal)) return { state: refusal, passed: false, points };
    throw refusal;
  }
}

export type LimitedAs = "user" | "device" | "anonymous" | "signup" | "inference" | "trpc";

const windows: Record<LimitedAs, readonly [WindowName, WindowName?]> = {
  user: ["user_minute", "user_second"],
  device: ["device_minute", "device_second"],
  trpc: ["trpc_minute", "trpc_second"],
  anonymous: ["anonymous_minute"],
  signup: ["signup_minute"],
  inference: ["inference_minute"],
};

/** Counts one request of `key` and says whether it may pass. Fixed windows that start at their first request. */
export async function countRequest(as: LimitedAs, key: string): Promise<Verdict> {
  const [minuteName, secondName] = windows[as];
  if (env.RATE_LIMITS === "off") {
    return { limit: 1_000_000, remaining: 1_000_000, resetAt: Math.ceil(Date.now() / 1000) + 60, retryAfterSeconds: null };
  }
  const second = secondName ? await consume(secondName, key) : null;
  const minute = await consume(minuteName, key);
  const exhausted = second?.passed === false ? second : minute.passed ? null : minute;
  return {
    limit: minute.points,
    remaining: Math.max(0, minute.state.remainingPoints),
    resetAt: Math.ceil((Date.now() + minute.state.msBeforeNext) / 1000),
    retryAfterSeconds: exhausted ? Math.max(1, Math.ceil(exhausted.state.msBeforeNext / 1000)) : null,
  };
}
