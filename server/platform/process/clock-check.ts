import { setTimeout as sleep } from "node:timers/promises";
import { type DatabaseClock, databaseClock } from "@/server/platform/clock";
import { pool } from "@/server/platform/db";
import { logFor } from "@/server/platform/log";
import { metrics, onScrape } from "@/server/platform/metrics";
import { FatalError } from "@/server/platform/process/fatal-error";
import { float8, notNull, queryRows } from "@/server/platform/rows";
import { findOutage } from "@/server/platform/unavailable";

const log = logFor("clock");

const measureEveryMs = 10_000;
/** After a measurement that failed, before the first one that succeeds. */
const retryMs = 1_000;
const warnAboveMs = 30_000;
const refuseAboveMs = 5 * 60_000;
const warnEveryMs = 10 * 60_000;

/** Asks PostgreSQL on an open connection, so that the wait for one is not part of the round trip. */
export async function measureClock(clock: DatabaseClock = databaseClock): Promise<void> {
  const client = await pool.connect();
  try {
    await clock.measure(async () => {
      const [row] = await queryRows(
        client,
        { ms: notNull(float8) },
        "select extract(epoch from clock_timestamp())::float8 * 1000 as ms",
      );
      if (!row) throw new Error("the database reported no time");
      return row.ms;
    });
  } finally {
    client.release();
  }
}

/** Such as "75 s ahead of" the database's time. */
const describe = (aheadMs: number): string => {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  return `${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"}`;
};

/** Adds how far this machine's time is away from the database's to the metrics of this process. */
export const observeClock = (): void =>
  onScrape("clock", () => metrics.clockAhead.set(databaseClock.machineAheadMs() / 1_000));

/** Whether this machine's time is more than 5 minutes away from the database's. */
export const isClockWrong = (clock: DatabaseClock = databaseClock): boolean =>
  Math.abs(clock.machineAheadMs()) > refuseAboveMs;

/** Throws a FatalError when this machine's time is too far away from the database's to start. */
export function requireRightClock(clock: DatabaseClock = databaseClock): void {
  if (!isClockWrong(clock)) return;
  throw new FatalError(
    `The clock of this machine is ${describe(clock.machineAheadMs())} that of the database. ` +
      "Set both by NTP (at most 5 minutes apart), then start Muster again.",
  );
}

/** Reports that this machine's time is away from the database's, at most once in ten minutes. */
export function clockWarner(clock: DatabaseClock = databaseClock, warn = log.warn.bind(log)): () => void {
  let warnedAt = -Infinity;
  return () => {
    const ahead = clock.machineAheadMs();
    if (Math.abs(ahead) <= warnAboveMs || performance.now() - warnedAt < warnEveryMs) return;
    warnedAt = performance.now();
    const text = `the clock of this machine is ${describe(ahead)} that of the database, whose time is used; set it by NTP`;
    warn({ ahead_ms: ahead }, text);
  };
}

/**
 * Measures the database's time, now and every ten seconds. Resolves after the first measurement, however long the
 * database is away; rejects with a FatalError when the machine's time is more than 5 minutes away from it.
 */
export async function startClock(): Promise<void> {
  const warn = clockWarner();
  for (;;) {
    try {
      await measureClock();
      break;
    } catch (error) {
      if (!findOutage(error)) throw error;
      await sleep(retryMs, undefined, { ref: false });
    }
  }
  requireRightClock();
  warn();
  let measuring = false;
  const timer = setInterval(() => {
    if (measuring || pool.ended) return;
    measuring = true;
    measureClock()
      .then(warn, (error: unknown) => log.debug({ err: error }, "the database's time was not measured"))
      .finally(() => (measuring = false));
  }, measureEveryMs);
  timer.unref();
}
