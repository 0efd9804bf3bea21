import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { pool } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { uploadLink } from "@/server/platform/storage/links";
import { type DatabaseProxy, startDatabaseProxy } from "@/server/testing/database-proxy";
import { makeDevice, makeOrganization, makeRecording, sessionCookie, unique } from "@/server/testing/factories";
import type { TestOrganization } from "@/server/testing/factories";
import { startWebProcesses, type WebProcesses } from "@/server/testing/web-processes";

/** A web process whose database lies behind a proxy, which falls silent, refuses, and comes back. */

/** Marks the sessions of that process. */
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

interface Answered {
  status: number;
  retryAfter: string | null;
  text: string;
}
async function ask(path: string, init: RequestInit = {}): Promise<Answered> {
  const response = await fetch(`${url}${path}`, init);
  const isStream = response.headers.get("content-type") === "text/event-stream";
  const text = isStream ? (await response.body?.cancel(), "") : await response.text();
  return { status: response.status, retryAfter: response.headers.get("retry-after"), text };
}

const withKey = () => ({ "x-service-api-key": org.key });
const json = { "content-type": "application/json" };
const readDevices = () => ask("/api/v1/fleet/devices/", { headers: withKey() });
const createDevice = (name: string) =>
  ask("/api/v1/fleet/devices/", { method: "POST", headers: { ...withKey(), ...json }, body: JSON.stringify({ name }) });
const countDevices = async (name: string) =>
  (await pool.query("select 1 from devices where name = $1", [name])).rowCount;
const listByTrpc = () => ask(`/api/trpc/devices.list?input=${encodeURIComponent("{}")}`, { headers: { cookie } });

const ways: Record<string, { wellStatus: number; ask: () => Promise<Answered> }> = {
  "a REST read": { wellStatus: 200, ask: readDevices },
  "a REST write": { wellStatus: 201, ask: () => createDevice(unique("written")) },
  "a tRPC query": { wellStatus: 200, ask: listByTrpc },
  "a tRPC mutation": {
    wellStatus: 200,
    ask: () => {
      const body = JSON.stringify({ name: unique("made") });
      return ask("/api/trpc/devices.register", { method: "POST", headers: { cookie, ...json }, body });
    },
  },
  "an upload": {
    wellStatus: 404, // for a file that no upload session names
    ask: () => {
      const key = `recordings/${org.uid}/${recordingId}/a`;
      return ask(uploadLink({ key, sizeBytes: 3, account: "user:x", ttlSeconds: 600 }), { method: "PUT", body: "abc" });
    },
  },
  "a stream of changes": { wellStatus: 200, ask: () => ask("/api/changes", { headers: { cookie } }) },
  "a CSV download": { wellStatus: 200, ask: () => ask("/devices/export", { headers: { cookie } }) },
  "a page": { wellStatus: 200, ask: () => ask("/", { headers: { cookie } }) },
};

/** Asks in every way at once; the answers by their way. */
async function askAll(): Promise<Record<string, Answered>> {
  const responses = Object.entries(ways).map(async ([way, { ask: send }]) => [way, await send()] as const);
  return Object.fromEntries(await Promise.all(responses));
}

const text: unknown = expect.any(String);
const retryAfter: unknown = expect.stringMatching(/^[1-9]\d*$/);
const unavailable = Object.fromEntries(Object.keys(ways).map((way) => [way, { status: 503, retryAfter, text }]));
const well = Object.fromEntries(
  Object.entries(ways).map(([way, { wellStatus: status }]) => [way, { status, retryAfter: null, text }]),
);
const recovers = () => vi.waitFor(async () => expect(await askAll()).toEqual(well), { timeout: 20_000, interval: 200 });

describe("while the database", () => {
  test("says nothing, over old connections or new, every way in answers 503, and afterwards works again", async () => {
    await recovers();
    proxy.silence();
    expect(await askAll()).toEqual(unavailable);
    expect(await askAll()).toEqual(unavailable);
    expect((await ask("/readyz")).status).toBe(503);
    expect((await ask("/healthz")).status).toBe(200);
    await proxy.restore();
    await recovers();
    expect((await ask("/readyz")).status).toBe(200);
  });

  test("says nothing, no client is blamed for it, nobody is signed out, and the body says what to do", async () => {
    await recovers();
    proxy.silence();
    const responses = await askAll();
    const detail = JSON.stringify({ detail: "The service is not ready. Try again shortly." });
    for (const way of ["a REST read", "a REST write", "an upload", "a stream of changes", "a CSV download"]) {
      expect(responses[way]?.text, way).toBe(detail);
    }
    expect(JSON.parse(responses["a tRPC query"]?.text ?? "")).toMatchObject({
      error: { data: { code: "SERVICE_UNAVAILABLE", httpStatus: 503, retry_after_seconds: expect.any(Number) } },
    });
    expect(responses["a page"]?.text).not.toBe("sign in");
  });

  test("is not there, every way in answers 503, and afterwards works again", async () => {
    await recovers();
    await proxy.refuse();
    expect(await askAll()).toEqual(unavailable);
    expect(await askAll()).toEqual(unavailable);
    await proxy.restore();
    await recovers();
  });

  test("is held up by a lock, a statement is given up in time and nothing of it stays", async () => {
    await recovers();
    const ask3 = () => Promise.all([readDevices(), createDevice("locked out"), listByTrpc()]);
    const responses = await whileLocked("devices", ask3);
    expect(responses.map(({ status, retryAfter }) => [status, retryAfter])).toEqual([
      [503, "5"],
      [503, "5"],
      [503, "5"],
    ]);
    expect(await countDevices("locked out")).toBe(0);
    await recovers();
  });
});

/** Runs `work` while nobody else can use a table. */
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

/** Ends the process's sessions, all of them or those that wait for a lock; how many there were. */
async function terminateSessions(which: "all" | "waiting" = "all"): Promise<number> {
  const { rowCount } = await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = $1 and ($2 or wait_event_type = 'Lock')`,
    [application, which === "all"],
  );
  return rowCount ?? 0;
}
async function waitingSessions(): Promise<number> {
  const waiting = "select 1 from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'";
  return (await pool.query(waiting, [application])).rowCount ?? 0;
}

describe("when sessions are ended", () => {
  test("between requests, reads and sessions go on over new connections", async () => {
    await recovers();
    for (let round = 0; round < 10; round++) {
      expect(await terminateSessions()).toBeGreaterThan(0);
      const page = ask("/", { headers: { cookie } });
      const responses = await Promise.all([readDevices(), readDevices(), listByTrpc(), page]);
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    }
  });

  test.each([
    { way: "REST", read: readDevices },
    { way: "tRPC", read: listByTrpc },
  ])("under a read over $way, it is made once more and answered", async ({ read }) => {
    await recovers();
    const reading = await whileLocked("devices", async () => {
      const begun = read();
      await vi.waitFor(async () => expect(await waitingSessions()).toBe(1));
      await terminateSessions("waiting");
      return { begun };
    });
    expect((await reading.begun).status).toBe(200);
  });

  test("under a write, it is answered 503 and never made a second time", async () => {
    await recovers();
    const name = unique("once");
    const writing = await whileLocked("devices", async () => {
      const begun = createDevice(name);
      await vi.waitFor(async () => expect(await waitingSessions()).toBe(1));
      await terminateSessions("waiting");
      return { begun };
    });
    expect(await writing.begun).toMatchObject({ status: 503, retryAfter: "1" });
    expect(await countDevices(name)).toBe(0);
    await recovers();
  });
});

test("more requests than may wait for a connection are refused at once, and the others answered", async () => {
  await recovers();
  const requests = 20 + 200 + 30;
  let refused = 0;
  const responses = await whileLocked("devices", async () => {
    const begun = Array.from({ length: requests }, () =>
      readDevices().then((response) => {
        if (response.retryAfter === "2") refused += 1;
        return response;
      }),
    );
    await vi.waitFor(() => expect(refused).toBeGreaterThanOrEqual(30), { timeout: 10_000, interval: 10 });
    return { begun };
  });
  // On a busy machine some of those that wait may wait too long.
  const statuses = (await Promise.all(responses.begun)).map(
    (response) => `${response.status} ${response.retryAfter !== null}`,
  );
  expect([...new Set(statuses)].sort()).toEqual(["200 false", "503 true"]);
  await recovers();
});
