import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { pool } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { uploadLink } from "@/server/platform/storage/links";
import { type DatabaseProxy, startDatabaseProxy } from "@/server/testing/database-proxy";
import { makeDevice, makeOrganization, makeRecording, sessionCookie, unique } from "@/server/testing/factories";
import type { TestOrganization } from "@/server/testing/factories";
import { startWebProcesses, type WebProcesses } from "@/server/testing/web-processes";

/** A web process whose database is behind a proxy, which can stop responding, refuse connections, and recover. */

/** Identifies the database sessions of that process. */
const application = unique("outage");
let proxy: DatabaseProxy;
let processes: WebProcesses;
let url: string;
let org: TestOrganization;
let cookie: string;
let recordingId: string;

beforeAll(async () => {
  proxy = await startDatabaseProxy(env.DATABASE_URL ?? "");
  const address = new URL(proxy.url);
  address.searchParams.set("application_name", application);
  processes = await startWebProcesses(1, { DATABASE_URL: address.toString(), DATABASE_TIMEOUT_SECONDS: "3" });
  url = processes.urls[0] ?? "";
  org = await makeOrganization();
  cookie = await sessionCookie(org.owner);
  const device = await makeDevice(org, { name: "here" });
  recordingId = (await makeRecording(org, device.uid)).uid;
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await processes.close();
  await proxy.close();
});

interface Reply {
  status: number;
  retryAfter: string | null;
  text: string;
}
async function send(path: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(`${url}${path}`, init);
  const isStream = response.headers.get("content-type") === "text/event-stream";
  const text = isStream ? (await response.body?.cancel(), "") : await response.text();
  return { status: response.status, retryAfter: response.headers.get("retry-after"), text };
}

const withKey = () => ({ "x-service-api-key": org.key });
const json = { "content-type": "application/json" };
const readDevices = () => send("/api/v1/fleet/devices/", { headers: withKey() });
const createDevice = (name: string) =>
  send("/api/v1/fleet/devices/", {
    method: "POST",
    headers: { ...withKey(), ...json },
    body: JSON.stringify({ name }),
  });
const countDevices = async (name: string) =>
  (await pool.query("select 1 from devices where name = $1", [name])).rowCount;
const listByTrpc = () => send(`/api/trpc/devices.list?input=${encodeURIComponent("{}")}`, { headers: { cookie } });

const entryPoints: Record<string, { usualStatus: number; call: () => Promise<Reply> }> = {
  "a REST read": { usualStatus: 200, call: readDevices },
  "a REST write": { usualStatus: 201, call: () => createDevice(unique("written")) },
  "a tRPC query": { usualStatus: 200, call: listByTrpc },
  "a tRPC mutation": {
    usualStatus: 200,
    call: () => {
      const body = JSON.stringify({ name: unique("made") });
      const headers = { cookie, origin: env.PUBLIC_URL, ...json };
      return send("/api/trpc/devices.register", { method: "POST", headers, body });
    },
  },
  "an upload": {
    usualStatus: 404, // for a file without an upload session
    call: () => {
      const key = `recordings/${org.uid}/${recordingId}/a`;
      return send(uploadLink({ key, sizeBytes: 3, account: "user:x", ttlSeconds: 600 }), {
        method: "PUT",
        body: "abc",
      });
    },
  },
  "a stream of changes": { usualStatus: 200, call: () => send("/api/changes", { headers: { cookie } }) },
  "a CSV download": { usualStatus: 200, call: () => send("/devices/export", { headers: { cookie } }) },
  "a page": { usualStatus: 200, call: () => send("/", { headers: { cookie } }) },
};

/** Calls every entry point concurrently. */
async function callAll(): Promise<Record<string, Reply>> {
  const responses = Object.entries(entryPoints).map(async ([name, { call }]) => [name, await call()] as const);
  return Object.fromEntries(await Promise.all(responses));
}

const text: unknown = expect.any(String);
const retryAfter: unknown = expect.stringMatching(/^[1-9]\d*$/);
const unavailable = Object.fromEntries(
  Object.keys(entryPoints).map((name) => [name, { status: 503, retryAfter, text }]),
);
const usual = Object.fromEntries(
  Object.entries(entryPoints).map(([name, { usualStatus: status }]) => [name, { status, retryAfter: null, text }]),
);
const recovers = () =>
  vi.waitFor(async () => expect(await callAll()).toEqual(usual), { timeout: 60_000, interval: 200 });

describe("while the database", () => {
  test("does not respond, on old and new connections, every entry point is 503, and later works again", async () => {
    await recovers();
    proxy.silence();
    expect(await callAll()).toEqual(unavailable);
    expect(await callAll()).toEqual(unavailable);
    expect((await send("/readyz")).status).toBe(503);
    expect((await send("/healthz")).status).toBe(200);
    await proxy.restore();
    await recovers();
    expect((await send("/readyz")).status).toBe(200);
  });

  test("does not respond, the body of every refusal explains it, and no session is lost", async () => {
    await recovers();
    proxy.silence();
    const responses = await callAll();
    const detail = JSON.stringify({ detail: "The service is not ready. Try again shortly." });
    for (const name of ["a REST read", "a REST write", "an upload", "a stream of changes", "a CSV download"]) {
      expect(responses[name]?.text, name).toBe(detail);
    }
    expect(JSON.parse(responses["a tRPC query"]?.text ?? "")).toMatchObject({
      error: { data: { code: "SERVICE_UNAVAILABLE", httpStatus: 503, retry_after_seconds: expect.any(Number) } },
    });
    expect(responses["a page"]?.text).not.toBe("sign in");
  });

  test("refuses connections, every entry point is 503, and later works again", async () => {
    await recovers();
    await proxy.refuse();
    expect(await callAll()).toEqual(unavailable);
    expect(await callAll()).toEqual(unavailable);
    await proxy.restore();
    await recovers();
  });

  test("is blocked by a lock, statements time out without effects", async () => {
    await recovers();
    const callThree = () => Promise.all([readDevices(), createDevice("locked out"), listByTrpc()]);
    const responses = await whileLocked("devices", callThree);
    expect(responses.map(({ status, retryAfter }) => [status, retryAfter])).toEqual([
      [503, "5"],
      [503, "5"],
      [503, "5"],
    ]);
    expect(await countDevices("locked out")).toBe(0);
    await recovers();
  });
});

/** Runs `work` while a table is locked. */
async function whileLocked<T>(table: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  try {
    await client.query("begin");
    await client.query(`lock table ${table} in access exclusive mode`);
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Ends all of the process's database sessions. Resolves to their number. */
async function terminateSessions(): Promise<number> {
  const end = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1";
  return (await pool.query(end, [application])).rowCount ?? 0;
}

/** Ends the session whose statement waits for the table, as soon as there is one: before it reaches its time limit. */
const endWaitingSession = (statement: "select" | "insert") =>
  vi.waitFor(
    async () => {
      const { rowCount } = await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1
           and wait_event_type = 'Lock' and wait_event = 'relation' and query ~* ('^\\s*' || $2 || '.*devices')`,
        [application, statement],
      );
      expect(rowCount).toBe(1);
    },
    { timeout: 60_000, interval: 20 },
  );

/** Resolves once all works and no earlier request, such as a page still being drawn, uses the database. */
async function isIdle(): Promise<void> {
  await recovers();
  const active = "select 1 from pg_stat_activity where application_name = $1 and state <> 'idle'";
  await vi.waitFor(async () => expect((await pool.query(active, [application])).rowCount).toBe(0), {
    timeout: 60_000,
    interval: 50,
  });
}

describe("when database sessions are ended", () => {
  test("between requests, reads and signed-in sessions work over new connections", async () => {
    await recovers();
    for (let round = 0; round < 10; round++) {
      expect(await terminateSessions()).toBeGreaterThan(0);
      const page = send("/", { headers: { cookie } });
      const responses = await Promise.all([readDevices(), readDevices(), listByTrpc(), page]);
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    }
  });

  test.each([
    { transport: "REST", read: readDevices },
    { transport: "tRPC", read: listByTrpc },
  ])("during a read over $transport, the read is retried successfully", async ({ read }) => {
    await isIdle();
    const reading = await whileLocked("devices", async () => {
      const begun = read();
      await endWaitingSession("select");
      return { begun };
    });
    expect((await reading.begun).status).toBe(200);
  });

  test("during a write, the response is 503 and the write is not retried", async () => {
    await isIdle();
    const name = unique("once");
    const writing = await whileLocked("devices", async () => {
      const begun = createDevice(name);
      await endWaitingSession("insert");
      return { begun };
    });
    expect(await writing.begun).toMatchObject({ status: 503, retryAfter: "1" });
    expect(await countDevices(name)).toBe(0);
    await recovers();
  });
});

test("requests beyond the limit of those that wait for a connection are refused at once, to come back apart", async () => {
  await recovers();
  const requests = 20 + 200 + 30;
  const refused: (string | null)[] = [];
  const responses = await whileLocked("devices", async () => {
    const begun = Array.from({ length: requests }, () =>
      readDevices().then((response) => {
        if (response.status === 503) refused.push(response.retryAfter);
        return response;
      }),
    );
    await vi.waitFor(() => expect(refused.length).toBeGreaterThanOrEqual(30), { timeout: 60_000, interval: 10 });
    return { begun };
  });
  // On a busy machine some of the waiting requests may time out.
  const statuses = (await Promise.all(responses.begun)).map(
    (response) => `${response.status} ${response.retryAfter !== null}`,
  );
  expect([...new Set(statuses)].sort()).toEqual(["200 false", "503 true"]);
  const waits = new Set(refused.slice(0, 30).map(Number));
  expect(waits.size).toBeGreaterThan(1);
  for (const seconds of waits) expect([2, 3, 4, 5, 6, 7, 8]).toContain(seconds);
  await recovers();
});
