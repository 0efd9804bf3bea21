import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { getRequestListener } from "@hono/node-server";
import { beforeAll, describe, expect, it, vi } from "vitest";
import * as trpc from "@/app/api/trpc/[trpc]/route";
import { lowerPriority, runQuery } from "@/server/features/signals/query-child";
import { QueryFiles } from "@/server/features/signals/query-files";
import { querySignals } from "@/server/features/signals/query-service";
import { inQueryTurn } from "@/server/features/signals/query-turn";
import { env } from "@/server/platform/env";
import { compose } from "@/server/testing/composition";
import {
  addMember,
  makeOrganization,
  sessionCookie,
  type TestMember,
  type TestOrganization,
  unique,
} from "@/server/testing/factories";
import { listenOnLoopback } from "@/server/testing/listening";
import { createWebServer } from "@/server/transport/http/http-server";

/** Queries whose callers go before they end, over every transport. */

const { server } = createWebServer(
  await compose("rest-app"),
  getRequestListener((request) => trpc.POST(request), { overrideGlobalObjects: false }),
);
await listenOnLoopback(server);
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Runs until its limit of 30 seconds. */
const endless = "select count(*) as n from range(10000000) a, range(10000000) b where (a.range + b.range) % 7 = 3";
const short = "select 1 as x";

let organization: TestOrganization;
let staff: TestMember;
beforeAll(async () => {
  organization = await makeOrganization();
  staff = await addMember(organization, "member", { staff: true });
});

/** The ids of the processes that run queries of this one. */
const listChildren = (): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        const parent = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
        return Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("query-thread");
      } catch {
        return false;
      }
    });
/** How much they let others go first. */
const listPriorities = () => listChildren().map((pid) => os.getPriority(pid));
const oneChild = () => vi.waitFor(() => expect(listChildren()).toHaveLength(1), { timeout: 60_000, interval: 10 });
/** Well before any limit of a query. */
const noChild = () => vi.waitFor(() => expect(listChildren()).toEqual([]), { timeout: 60_000, interval: 10 });

const json = { "content-type": "application/json" };
type Send = (sql: string, signal?: AbortSignal) => Promise<Response>;
const post = async (at: string, headers: Record<string, string>, body: unknown, signal?: AbortSignal) =>
  fetch(url + at, {
    method: "POST",
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
const transports: Record<string, Send> = {
  REST: (sql, signal) =>
    post("/api/v1/fleet/signals/query/", { "x-service-api-key": organization.key }, { sql }, signal),
  tRPC: async (sql, signal) => {
    const cookie = await sessionCookie(organization.owner);
    return post("/api/trpc/signals.run", { cookie, origin: env.PUBLIC_URL }, { sql }, signal);
  },
  "a tool": (sql, signal) => {
    const params = { name: "signals_query", arguments: { sql } };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    return post("/api/v1/mcp/", { "x-service-api-key": staff.key }, message, signal);
  },
};

describe("a query whose caller goes", () => {
  it.each(Object.entries(transports))("over %s ends with its process, and the next one runs", async (_, send) => {
    // That of the query before may still be ending.
    await noChild();
    const caller = new AbortController();
    const asked = send(endless, caller.signal);
    await oneChild();
    caller.abort();
    await expect(asked).rejects.toThrow("abort");
    await noChild();
    const next = await send(short);
    expect(next.status).toBe(200);
    expect(await next.text()).not.toContain("Other queries");
  });

  it("ran behind other processes, and gives its place back before it is reported as cancelled", async () => {
    const caller = new AbortController();
    const asked = querySignals(organization.ctx, { sql: endless }, caller.signal);
    await oneChild();
    await vi.waitFor(() => expect(listPriorities()).toEqual([10]), { timeout: 60_000, interval: 10 });
    const aborted = performance.now();
    caller.abort();
    // One that is asked before the first has ended waits for its place.
    const next = querySignals(organization.ctx, { sql: short });
    await expect(asked).rejects.toMatchObject({ code: "cancelled" });
    // The limit of a query would end it after 30 s.
    expect(performance.now() - aborted).toBeLessThan(15_000);
    expect((await next).rows).toEqual([[1]]);
    await noChild();
    const folder = path.join(env.DATA_DIR, "signals");
    expect(readdirSync(folder).filter((name) => name.startsWith("query-"))).toEqual([]);
  });

  it("does not begin when its caller has gone while it waited for its turn", async () => {
    const work = vi.fn(async () => 1);
    const waiting = inQueryTurn(organization.uid, work, { signal: AbortSignal.abort() });
    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
    expect(work).not.toHaveBeenCalled();
    const prepare = vi.fn(async () => ({ views: [], folder: env.DATA_DIR, fetch: async () => {} }));
    const asked = runQuery({ sql: short, limit: 1, prepare, signal: AbortSignal.abort() });
    await expect(asked).rejects.toMatchObject({ code: "cancelled" });
    expect(prepare).not.toHaveBeenCalled();
    expect(listChildren()).toEqual([]);
  });

  it.each(["footers", "columns"])("ends with its process while the %s of files are fetched", async (stage) => {
    const caller = new AbortController();
    const folder = path.join(env.DATA_DIR, unique("folder"));
    mkdirSync(folder, { recursive: true });
    const goes = async (when: string) => {
      if (stage !== when) return;
      await oneChild();
      caller.abort();
      await noChild();
    };
    const fetch = () => goes("columns");
    const prepare = async () => {
      await goes("footers");
      return { views: [], folder, fetch };
    };
    const asked = runQuery({ sql: short, limit: 1, prepare, signal: caller.signal });
    await expect(asked).rejects.toMatchObject({ code: "cancelled" });
    rmSync(folder, { recursive: true });
  });

  it("ends without an error where the priority of its process cannot be changed", async () => {
    const ended = spawn(process.execPath, ["-e", ""]);
    await once(ended, "exit");
    expect(() => lowerPriority(ended.pid)).not.toThrow();
  });

  it("fetches no other file", async () => {
    const folder = path.join(env.DATA_DIR, unique("folder"));
    mkdirSync(folder, { recursive: true });
    const caller = new AbortController();
    const wanted = [{ storageKey: "recordings/none", etag: '"1"', sizeBytes: 10, at: "0~none~0.parquet" }];
    const placing = QueryFiles.place(folder, wanted, caller.signal);
    caller.abort();
    await expect(placing).rejects.toMatchObject({ code: "cancelled" });
    expect(existsSync(path.join(folder, "0~none~0.parquet"))).toBe(false);
    rmSync(folder, { recursive: true });
  });
});
