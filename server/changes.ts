import { EventEmitter } from "node:events";
import pg from "pg";
import type { Ctx } from "@/server/context";
import { Prisma } from "@/server/database/generated/client";
import { execute, pool } from "@/server/db";
import { env } from "@/server/env";
import { logFor } from "@/server/log";
import { processWide } from "@/server/process-wide";

const log = logFor("changes");

/** What open pages are told: something of this kind changed. They fetch it again; no content travels here. */
export interface Change {
  organizationId: string;
  kind: "device" | "group" | "recording" | "event" | "rule" | "alert" | "channel" | "silence" | "member" | "api_key" | "audit";
  uid: string;
  action: "created" | "updated" | "deleted";
}

const channel = "muster_changes";
const bus = processWide("changes", () => new EventEmitter().setMaxListeners(0));

/** Tells every web process, when the transaction of `ctx` commits, that something changed. */
export async function announce(ctx: Ctx, kind: Change["kind"], uid: string, action: Change["action"]): Promise<void> {
  const change: Change = { organizationId: ctx.organizationId, kind, uid, action };
  await execute(ctx, Prisma.sql`select pg_notify(${channel}, ${JSON.stringify(change)})`);
}

/** Calls `listener` with every change of one organization; returns how to stop. */
export function onChange(organizationId: string, listener: (change: Change) => void): () => void {
  bus.on(organizationId, listener);
  return () => bus.off(organizationId, listener);
}

/** How many streams of this process listen to that organization. */
export const listenerCount = (organizationId: string): number => bus.listenerCount(organizationId);

/**
 * Feeds this process's streams from PostgreSQL's notifications, reconnecting by itself; returns how to stop. Called once by a
 * web process.
 */
export function listenForChanges(): () => Promise<void> {
  let client: pg.Client | null = null;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const connect = async () => {
    const next = new pg.Client({ connectionString: env.DATABASE_URL, keepAlive: true });
    let lost = false;
    const retry = () => {
      if (lost) return;
      lost = true;
      next.removeAllListeners("notification");
      if (!stopped) timer = setTimeout(() => void connect(), 1_000);
    };
    next.on("error", retry);
    next.on("end", retry);
    next.on("notification", ({ payload }) => {
      const change = JSON.parse(payload ?? "{}") as Change;
      bus.emit(change.organizationId, change);
    });
    try {
      await next.connect();
      await next.query(`listen ${channel}`);
      client = next;
    } catch (error) {
      log.warn({ err: error }, "not listening for changes; trying again");
      retry();
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
 * Like `announce`, for changes that come by the thousand: after the commit, at most one notification per object and half
 * second, and never inside the writer's transaction (a commit that notifies takes a database-wide lock).
 */
export function announceSoon(ctx: Ctx, kind: Change["kind"], uid: string, action: Change["action"]): void {
  const key = `${ctx.organizationId} ${kind} ${uid}`;
  if (pending.size === 0) {
    setTimeout(() => {
      const changes = [...pending.values()].map((change) => JSON.stringify(change));
      pending.clear();
      pool
        .query("select pg_notify($1, payload) from unnest($2::text[]) as payload", [channel, changes])
        .catch((error: unknown) => log.warn({ err: error }, "could not announce changes"));
    }, 500).unref();
  }
  pending.set(key, { organizationId: ctx.organizationId, kind, uid, action });
}
