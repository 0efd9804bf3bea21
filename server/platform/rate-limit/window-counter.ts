import { RateLimiterMemory } from "rate-limiter-flexible";
import { databaseMs } from "@/server/platform/clock";
import { pool } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import { warnRepeated } from "@/server/platform/repeated-warnings";
import { int4, int8, notNull, queryRows } from "@/server/platform/rows";

const log = logFor("rest");

/** A fixed window, which starts at the first request after the previous one has ended. */
export interface Window {
  /** Distinguishes its counts from those of other windows of the same key. */
  name: string;
  limit: number;
  seconds: number;
}

/** The state of a window after a request was counted. */
interface Counted {
  /** Requests in it, including this one. */
  requests: number;
  msLeft: number;
  /** When it ends, in milliseconds since 1970. */
  endsAt: number;
}

/**
 * Counts a request of `key` in `short` first: a request refused by it does not count in `long`, so that a burst does
 * not use up the longer window. Without `short` it may count as several.
 */
export type Counter = (
  key: string,
  long: Window,
  short?: Window,
  requests?: number,
) => Promise<{ long: Counted; short: Counted | null }>;

const memories = processWide("rateLimitMemories", () => new Map<string, RateLimiterMemory>());

async function countHere({ name, limit, seconds }: Window, key: string, requests: number): Promise<Counted> {
  let memory = memories.get(name);
  if (!memory)
    memories.set(name, (memory = new RateLimiterMemory({ points: limit, duration: seconds, keyPrefix: name })));
  const { consumedPoints, msBeforeNext } = await memory.penalty(key, requests);
  return { requests: consumedPoints, msLeft: msBeforeNext, endsAt: databaseMs() + msBeforeNext };
}

/** For a single web process. */
export const countInMemory: Counter = async (key, long, short, requests = 1) => {
  const first = short ? await countHere(short, key, requests) : null;
  const passed = !short || !first || first.requests <= short.limit;
  return { long: await countHere(long, key, passed ? requests : 0), short: first };
};

/** The database's clock, because the clocks of several machines differ. */
const now = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** Adds requests to a window, or to a new one if it has ended. The clock is read after the row is locked. */
const counting = (key: string, requests: string, seconds: string) => `
  insert into rate_limits as w (key, points, expire) select ${key}, ${requests}, ${now} + ${seconds}::bigint * 1000
  on conflict (key) do update set (points, expire) = (
    select case when w.expire > c.now then w.points else 0 end + excluded.points,
      case when w.expire > c.now then w.expire else c.now + ${seconds}::bigint * 1000 end
    from (select ${now} as now offset 0) c)
  returning points as requests, expire as "endsAt", greatest(expire - ${now}, 0) as "msLeft"`;

const countLong = counting("$1::text", "$3::int", "$2");
const countBoth = `with short as (${counting("$3::text", "1", "$4")}),
  long as (${counting("$1::text", "(select case when requests <= $5::int then 1 else 0 end from short)", "$2")})
  select long.*, short.requests as "shortRequests", short."endsAt" as "shortEndsAt", short."msLeft" as "shortMsLeft" from long, short`;

const longRow = { requests: int4, endsAt: notNull(int8), msLeft: int8 };
const bothRow = { ...longRow, shortRequests: int4, shortEndsAt: notNull(int8), shortMsLeft: int8 };

const counted = (requests: number, endsAt: number | string, msLeft: number | string): Counted => ({
  requests,
  endsAt: Number(endsAt),
  msLeft: Number(msLeft),
});

/** For several web processes, which count in one table. */
export const countInDatabase: Counter = async (key, long, short, requests = 1) => {
  startCleanup();
  const values = [`${long.name}:${key}`, long.seconds];
  if (!short) {
    const counting = { name: "rate-limit", text: countLong };
    const [row] = await queryRows(pool, longRow, counting, [...values, requests]);
    if (!row) throw nothingCounted();
    return { long: counted(row.requests, row.endsAt, row.msLeft), short: null };
  }
  const both = [...values, `${short.name}:${key}`, short.seconds, short.limit];
  const [row] = await queryRows(pool, bothRow, { name: "rate-limit-both", text: countBoth }, both);
  if (!row) throw nothingCounted();
  return {
    long: counted(row.requests, row.endsAt, row.msLeft),
    short: counted(row.shortRequests, row.shortEndsAt, row.shortMsLeft),
  };
};

/** Takes one request back from windows that have not ended, in the counter that this process uses. */
export async function uncount(counted: readonly (readonly [Window, string])[]): Promise<void> {
  if (env.ROLE === "web") {
    const keys = counted.map(([window, key]) => `${window.name}:${key}`);
    await pool.query("update rate_limits set points = points - 1 where key = any($1) and points > 0", [keys]);
    return;
  }
  for (const [window, key] of counted) await memories.get(window.name)?.reward(key, 1);
}

const nothingCounted = () => new Error("counting a request returned nothing");

const cleanupIntervalMs = 5 * 60_000;

/** Deletes ended windows every few minutes from the first count of this process on. */
function startCleanup(): void {
  processWide("rateLimitCleanup", () =>
    setInterval(() => {
      pool
        .query(`delete from rate_limits where expire < ${now}`)
        .catch((error: unknown) => warnRepeated(log, { err: error }, "could not delete ended rate limit windows"));
    }, cleanupIntervalMs).unref(),
  );
}
