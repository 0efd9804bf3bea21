import { randomBytes } from "node:crypto";
import { EventEmitter } from "node:events";
import pg from "pg";
import type { Change } from "@/domain/changes";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, pool } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { metrics, onScrape } from "@/server/platform/metrics";
import { processWide } from "@/server/platform/process-wide";
import { ChangesLag } from "@/server/platform/realtime/changes-lag";
import { RecentChanges, type RecentChange } from "@/server/platform/realtime/recent-changes";
import { warnRepeated } from "@/server/platform/repeated-warnings";
import { inScope } from "@/server/platform/request-scope";

const log = logFor("changes");

const channel = "muster_changes";
const gap = "gap";
const bus = processWide("changes", () => new EventEmitter().setMaxListeners(0));
const recent = processWide("recentChanges", () => new RecentChanges());

/** The payload of a notification; its new id prevents PostgreSQL from folding equal ones of a transaction into one. */
const toPayload = (change: Change): string =>
  JSON.stringify({ id: randomBytes(9).toString("base64url"), ...change } satisfies RecentChange);

/** Notifies every web process of a change when the transaction of `ctx` commits. */
export async function announce(
  ctx: Ctx,
  kind: Change["kind"],
  uid: string,
  action: Change["action"],
  audience?: Change["audience"],
): Promise<void> {
  const change: Change = { organizationId: ctx.organizationId, kind, uid, action, audience };
  await execute(ctx, Prisma.sql`select pg_notify(${channel}, ${toPayload(change)})`);
}

/** Several objects of a kind changed together: one notification for them, because pages fetch by kind. */
export const announceSeveral = (ctx: Ctx, kind: Change["kind"], uids: readonly string[], action: Change["action"]) =>
  announce(ctx, kind, uids.length === 1 ? (uids[0] ?? "") : "", action);

/** The same as an expression, for services that announce within a larger statement. */
export const announcement = (payload: Prisma.Sql): Prisma.Sql => Prisma.sql`pg_notify(${channel}, ${payload})`;

/** What `announcement` takes. */
export const announcementPayload = (
  organizationId: string,
  kind: Change["kind"],
  uids: readonly string[],
  action: Change["action"],
): string => toPayload({ organizationId, kind, uid: uids.length === 1 ? (uids[0] ?? "") : "", action });

export interface ChangeListener {
  onChange: (change: RecentChange) => void;
  /** Changes may have been missed. */
  onGap: () => void;
}

/** Calls `listener` for every change of one organization; returns a function that unsubscribes it. */
export function onChange(organizationId: string, { onChange: report, onGap }: ChangeListener): () => void {
  bus.on(organizationId, report);
  bus.on(gap, onGap);
  return () => bus.off(organizationId, report).off(gap, onGap);
}

/** The changes of an organization after the change `id`, oldest first; null when they are not retained any more. */
export const changesSince = (organizationId: string, id: string): RecentChange[] | null =>
  recent.since(organizationId, id);

/**
 * The changes of an organization in the last `ms`, and up to `marginMs` before, oldest first; null when some of the last `ms`
 * are not retained any more.
 */
export const changesWithin = (organizationId: string, ms: number, marginMs: number): RecentChange[] | null =>
  recent.within(organizationId, ms, marginMs);

/** The id from which a stream that opens now can resume: the newest change received, of any organization. */
export const lastChangeId = (): string | null => recent.lastId;

export interface ListenOptions {
  url?: string | undefined;
  /** Interval of test statements on the connection, which may otherwise be idle for hours. */
  probeMs?: number;
  /** Timeout of the connection and of each statement. */
  responseMs?: number;
}

/**
 * Feeds the streams of this process from PostgreSQL's notifications and reconnects automatically; returns a function
 * that stops it. Called once by a web process.
 */
export function listenForChanges(options: ListenOptions = {}): () => Promise<void> {
  const { url = env.DATABASE_URL, probeMs = 15_000, responseMs = 5_000 } = options;
  let client: pg.Client | null = null;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const lag = new ChangesLag();
  onScrape("changes", () => {
    if (lag.seconds !== null) metrics.changesLag.set(lag.seconds);
  });
  const measureLag = async () => {
    const connection = await pool.connect(); // before the measurement, of which the wait for it is no part
    try {
      lag.begin();
      await connection.query("select pg_notify($1, '')", [lag.channel]);
    } finally {
      connection.release();
    }
  };
  const connect = async () => {
    const limits = { connectionTimeoutMillis: responseMs, query_timeout: responseMs };
    const next = new pg.Client({ connectionString: url, keepAlive: true, ...limits });
    let lost = false;
    let probe: NodeJS.Timeout | undefined;
    const retry = () => {
      clearTimeout(probe);
      if (lost) return;
      lost = true;
      lag.begin();
      next.removeAllListeners("notification");
      if (!stopped) timer = setTimeout(() => void connect(), 1_000);
    };
    const fail = (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      if (!lost && !stopped) warnRepeated(log, { error: reason }, "not listening for changes; reconnecting");
      next.connection.stream.destroy();
      retry();
    };
    next.on("error", retry);
    next.on("end", retry);
    next.on("notification", ({ channel: from, payload }) => {
      if (from === lag.channel) return lag.end();
      const change = JSON.parse(payload ?? "{}") as RecentChange;
      recent.add(change);
      bus.emit(change.organizationId, change);
    });
    try {
      await next.connect();
      if (stopped) return await next.end();
      recent.clear();
      await next.query(`listen ${channel}; listen ${lag.channel}`);
      client = next;
      bus.emit(gap);
      // A first change without an organization, so that streams have an id to resume from before the first real one.
      await next.query("select pg_notify($1, $2)", [
        channel,
        toPayload({ organizationId: "", kind: "device", uid: "", action: "created" }),
      ]);
      const sendProbe = () => next.query("select 1").then(scheduleProbe, fail);
      const scheduleProbe = () => {
        if (lost) return;
        measureLag().catch(() => lost || lag.drop());
        probe = setTimeout(() => void sendProbe(), probeMs);
      };
      scheduleProbe();
    } catch (error) {
      fail(error);
    }
  };
  void connect();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await client?.end();
  };
}

const pending = processWide("pendingChanges", () => new Map<string, Change>());

/**
 * Like `announce`, for frequent changes. Called after the commit; sends at most one notification per object and half
 * second, not in the writer's transaction (a commit that notifies takes a database-wide lock).
 */
export function announceSoon(
  ctx: Pick<Ctx, "organizationId">,
  kind: Change["kind"],
  uid: string,
  action: Change["action"],
): void {
  const key = `${ctx.organizationId} ${kind} ${uid}`;
  if (pending.size === 0) {
    setTimeout(() => {
      const changes = [...pending.values()].map(toPayload);
      pending.clear();
      const notify = "select pg_notify($1, payload) from unnest($2::text[]) as payload";
      const fail = (error: unknown) => warnRepeated(log, { err: error }, "could not announce changes");
      // Not within the scope of the request that happened to be the first.
      inScope(null, () => pool.query(notify, [channel, changes])).catch(fail);
    }, 500).unref();
  }
  pending.set(key, { organizationId: ctx.organizationId, kind, uid, action });
}
