import { once } from "node:events";
import net from "node:net";
// oxlint-disable-next-line no-restricted-imports -- between two looks at the memory
import { setImmediate as eventLoopTurn, setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { env } from "@/server/platform/env";
import { addMember, makeOrganization, sessionCookie } from "@/server/testing/factories";
import { startWebProcesses, type WebProcesses } from "@/server/testing/web-processes";
import { entries, pages } from "@/server/transport/http/entries";

/**
 * Bodies far above every limit, to each entry of the table, in a web process of its own whose memory is measured.
 * BODY_MB sets their size: `BODY_MB=560 npx vitest run server/transport/http/large-bodies`.
 */

const mebibyte = 1024 * 1024;
const bodyBytes = Number(process.env.BODY_MB ?? 60) * mebibyte;
const maxGrowthBytes = 20 * mebibyte;

type As = "nobody" | "member" | "owner" | "another site" | "our page";

interface Case {
  /** The entry, as the table of entries names it. */
  entry: string;
  line: string;
  as: As;
  status: number;
  /** The limit of a body without a declared length, where that is another one: nobody reads it. */
  chunked?: number;
}

const cases: Case[] = [
  { entry: "liveness", line: "GET /healthz", as: "nobody", status: 413 },
  { entry: "readiness", line: "GET /readyz", as: "nobody", status: 413 },
  { entry: "metrics", line: "GET /metrics", as: "nobody", status: 413 },
  { entry: "REST", line: "POST /api/v1/no/such/path/", as: "owner", status: 404 },
  { entry: "REST", line: "PUT /api/v1/fleet/devices/", as: "owner", status: 405 },
  { entry: "REST", line: "POST /api/v1/fleet/devices/", as: "nobody", status: 401 },
  { entry: "REST", line: "POST /api/v1/fleet/devices/", as: "member", status: 403 },
  { entry: "REST", line: "POST /api/v1/fleet/devices/", as: "owner", status: 413 },
  { entry: "REST", line: "PATCH /api/v1/fleet/devices/dev_unknown/", as: "owner", status: 413 },
  { entry: "REST", line: "GET /api/v1/fleet/devices/", as: "owner", status: 413, chunked: 200 },
  { entry: "REST", line: "POST /api/v1/fleet/events/batch/", as: "owner", status: 413 },
  { entry: "REST", line: "POST /api/v1/signup/", as: "nobody", status: 413 },
  { entry: "REST", line: "POST /api/v1/mcp/", as: "owner", status: 403 },
  { entry: "changes", line: "GET /api/changes", as: "nobody", status: 413 },
  { entry: "changes", line: "POST /api/changes", as: "another site", status: 403 },
  { entry: "uploads", line: "PUT /files/upload/unknown", as: "nobody", status: 403 },
  { entry: "cuts", line: "GET /files/cuts/unknown", as: "nobody", status: 413 },
  { entry: "files", line: "GET /files/unknown", as: "nobody", status: 413 },
  { entry: "files", line: "POST /files/upload/unknown", as: "nobody", status: 413 },
  { entry: "tRPC", line: "POST /api/trpc/account.signUp", as: "nobody", status: 413 },
  { entry: "tRPC", line: "POST /api/trpc/account.signUp,account.signUp?batch=1", as: "our page", status: 413 },
  { entry: "tRPC", line: "POST /api/trpc/account.updateProfile", as: "another site", status: 403 },
  { entry: "sign-in", line: "POST /api/auth/callback/credentials", as: "nobody", status: 413 },
  { entry: "sign-in", line: "POST /api/auth/signout", as: "another site", status: 403 },
  { entry: "devices as CSV", line: "GET /devices/export", as: "our page", status: 413 },
  { entry: "logos", line: "GET /organization-logos/unknown", as: "our page", status: 413 },
  { entry: "media", line: "GET /media/signals/unknown/0/0-1?topic=x", as: "our page", status: 413 },
  { entry: "page workers", line: "GET /engine/x.js", as: "nobody", status: 413 },
  { entry: "built files", line: "GET /_next/static/x.js", as: "nobody", status: 413 },
  { entry: "pages", line: "POST /login", as: "our page", status: 413 },
  { entry: "pages", line: "POST /login", as: "another site", status: 403 },
  { entry: "pages", line: "GET /invite/x", as: "nobody", status: 413 },
];

let web: WebProcesses;
let port: number;
let headers: Record<As, string[]>;
beforeAll(async () => {
  web = await startWebProcesses(1);
  port = Number(new URL(web.urls[0] ?? "").port);
  const org = await makeOrganization();
  const [member, cookie] = await Promise.all([addMember(org, "member"), sessionCookie(org.owner)]);
  headers = {
    nobody: [],
    member: [`x-service-api-key: ${member.key}`],
    owner: [`x-service-api-key: ${org.key}`],
    "another site": [`cookie: ${cookie}`, "origin: https://evil.test"],
    "our page": [`cookie: ${cookie}`, `origin: ${env.PUBLIC_URL}`],
  };
});
afterAll(() => web.close());

/** For a machine that does other things meanwhile; alone it takes seconds. */
const timeoutMs = 300_000;

const piece = Buffer.alloc(mebibyte, " ");

/** Sends a request whose body has that size, declared or in chunks, until the server closes the connection. */
async function send(line: string, as: As, size: number, framing: "declared" | "chunked"): Promise<number> {
  const socket = net.connect(port, "127.0.0.1");
  let response = "";
  socket.setEncoding("latin1").on("data", (text: string) => (response += text));
  const closed = new Promise<void>((resolve) => socket.on("error", () => {}).once("close", () => resolve()));
  await once(socket, "connect");
  const length = framing === "declared" ? `content-length: ${size}` : "transfer-encoding: chunked";
  const head = [`${line} HTTP/1.1`, "host: 127.0.0.1", "connection: close", "content-type: application/json", length];
  socket.write([...head, ...headers[as], "", ""].join("\r\n"));
  for (let sent = 0; sent < size && !socket.destroyed; sent += piece.length) {
    if (framing === "chunked") socket.write(`${piece.length.toString(16)}\r\n`);
    const more = socket.write(piece);
    if (framing === "chunked") socket.write("\r\n");
    if (!more) await Promise.race([once(socket, "drain").catch(() => {}), closed]);
    // Writes that the kernel takes at once never reach the socket's reads, and a failed write would drop the response.
    await eventLoopTurn();
  }
  if (framing === "chunked" && !socket.destroyed) socket.write("0\r\n\r\n");
  await closed;
  return Number(response.split(" ")[1]);
}

async function readMemory(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
}

/** Runs `act`. Resolves to its result and the largest growth of the process's memory meanwhile. */
async function measure<T>(act: () => Promise<T>): Promise<{ result: T; growth: number }> {
  const before = await readMemory();
  let [peak, isRunning] = [before, true];
  const watch = async () => {
    for (; isRunning; await sleep(50)) peak = Math.max(peak, await readMemory());
  };
  const acting = act().finally(() => (isRunning = false));
  const [result] = await Promise.all([acting, watch()]);
  return { result, growth: Math.max(peak, await readMemory()) - before };
}

interface Measured {
  request: string;
  status: number;
  growth: number;
  seconds: number;
}

const format = (table: readonly Measured[]): string =>
  table
    .map(
      ({ request, status, growth, seconds }) => `${status} ${growth / 1024} KiB, ${seconds.toFixed(1)} s: ${request}\n`,
    )
    .join("");

describe(`a body of ${bodyBytes / mebibyte} MB`, () => {
  test("is tried on every entry of the table", () => {
    const tried = new Set(cases.map(({ entry }) => entry));
    expect([...entries, pages].map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([]);
  });

  test(
    "is refused by every entry in the order of checks, and the process grows by less than 20 MB",
    async () => {
      // What the process loads with its first requests is not what a body costs.
      await Promise.all(cases.map(({ line, as }) => send(line, as, 2 * mebibyte, "declared")));
      const table: Measured[] = [];
      const { growth: total } = await measure(async () => {
        for (const { line, as, status, chunked = status } of cases) {
          for (const [framing, expected] of [
            ["declared", status],
            ["chunked", chunked],
          ] as const) {
            const began = performance.now();
            const { result, growth } = await measure(() => send(line, as, bodyBytes, framing));
            const seconds = (performance.now() - began) / 1_000;
            table.push({ request: `${line} of ${as}, ${framing}`, status: result, growth, seconds });
            expect([line, as, framing, result]).toEqual([line, as, framing, expected]);
          }
        }
      });
      if (process.env.BODY_MB) process.stdout.write(format(table));
      expect(table.filter(({ growth }) => growth >= maxGrowthBytes)).toEqual([]);
      // All together, over 3 GB: with what a heap in use grows by itself, less than one of them.
      expect(total).toBeLessThan(2 * maxGrowthBytes);
    },
    timeoutMs,
  );
});
