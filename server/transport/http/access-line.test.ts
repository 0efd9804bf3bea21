import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { LogLine } from "@/server/testing/child-program";
import { makeDevice, makeOrganization, sessionCookie, type TestOrganization } from "@/server/testing/factories";
import { startWebProcesses, type WebProcesses } from "@/server/testing/web-processes";

/** A web process whose log is read here. */
let processes: WebProcesses;
let url: string;
let org: TestOrganization;
let lines: LogLine[] = [];

beforeAll(async () => {
  processes = await startWebProcesses(1, { LOG_LEVEL: "debug" }, (line) => lines.push(line));
  url = processes.urls[0] ?? "";
  org = await makeOrganization();
});
beforeEach(() => {
  lines = [];
});
afterAll(() => processes.close());

const findAccess = () => lines.filter(({ part, msg }) => part === "access" && msg === "request");

/** Sends requests one after the other. Resolves to their responses once there is a line about each. */
async function send(...requests: [address: string, init?: RequestInit][]) {
  const responses: { id: string | null; status: number; text: string }[] = [];
  for (const [address, init] of requests) {
    const response = await fetch(`${url}${address}`, init);
    responses.push({ id: response.headers.get("x-request-id"), status: response.status, text: await response.text() });
  }
  await vi.waitFor(
    () => {
      const ids = new Set(findAccess().map((line) => line.request_id));
      expect(responses.filter(({ id }) => !ids.has(id))).toEqual([]);
    },
    { timeout: 60_000 },
  );
  const access = findAccess();
  return { responses, access };
}

const withKey = () => ({ headers: { "x-service-api-key": org.key } });

describe("the line of a request", () => {
  test("says what was requested, by whom and with which result, under the id of the response", async () => {
    const { responses, access } = await send(["/api/v1/fleet/devices/?limit=3", withKey()]);
    expect(access).toEqual([
      expect.objectContaining({
        level: "info",
        method: "GET",
        path: "/api/v1/fleet/devices/",
        operation: "devices.list",
        status: 200,
        ms: expect.any(Number),
        bytes: expect.any(Number),
        caller: "api_key",
        organization: org.uid,
        request_id: responses[0]?.id,
      }),
    ]);
    expect(Number(access[0]?.bytes)).toBeGreaterThan(responses[0]?.text.length ?? 0);
  });

  test("names the person of a session, and nobody for strangers and wrong keys", async () => {
    const cookie = await sessionCookie(org.owner);
    const { access } = await send(
      ["/api/trpc/devices.list?input=%7B%7D", { headers: { cookie } }],
      ["/api/v1/fleet/devices/", { headers: { "x-service-api-key": "svk_wrong" } }],
      ["/devices"],
    );
    expect(access.map(({ caller, organization, status }) => [caller, organization, status])).toEqual([
      ["user", org.uid, 200],
      ["anonymous", undefined, 401],
      ["anonymous", undefined, 404],
    ]);
  });

  test("has no query, no token of a path, escaped or not, and no key", async () => {
    const token = "t".repeat(43);
    await send(
      [`/invite/${token}?signature=secret-query`],
      [`/%69nvite/${token}`],
      [`/reset-password/${token}`],
      [`/share/${token}`],
      [`/sh%61re/${token}`],
      [`/files/x?signature=secret-query`],
      ["/api/v1/fleet/devices/?token=secret-query", withKey()],
    );
    const text = JSON.stringify(lines);
    for (const secret of [token, "secret-query", org.key]) expect(text).not.toContain(secret);
    for (const path of ["/invite/", "/share/"]) expect(text).toContain(`${path}[redacted]`);
  });

  test("is not at info for probes, metrics and built files", async () => {
    const { access } = await send(["/healthz"], ["/readyz"], ["/metrics"], ["/_next/static/x.js"], ["/devices"]);
    expect(access.filter(({ level }) => level === "info").map(({ path }) => path)).toEqual(["/devices"]);
    expect(access.filter(({ level }) => level === "debug").map(({ path }) => path)).toHaveLength(4);
  });

  test("of heartbeats and polls that succeed is at debug, but for one in a hundred, which says so", async () => {
    const { uid } = await makeDevice(org);
    const heartbeat = (body: string): [string, RequestInit] => [
      `/api/v1/fleet/devices/${uid}/heartbeat/`,
      { method: "POST", headers: { ...withKey().headers, "content-type": "application/json" }, body },
    ];
    const good = heartbeat('{"metrics": {"cpu": 1}}');
    const { access } = await send(...Array.from({ length: 101 }, () => good), heartbeat('{"metrics": 5}'));
    // Those that took a second are not routine, whatever made them slow.
    const routine = access.filter(({ status, ms }) => status === 200 && Number(ms) < 1_000);
    expect(routine.length).toBeGreaterThan(0);
    expect(routine.map(({ level, sampled }) => [level, sampled])).toEqual(
      routine.map((_, at) => (at % 100 === 0 ? ["info", 100] : ["debug", undefined])),
    );
    expect(access.filter(({ status }) => status === 400)).toMatchObject([{ level: "info" }]);
  });

  test("says that a client left before the response", async () => {
    const abort = new AbortController();
    const cookie = await sessionCookie(org.owner);
    await fetch(`${url}/api/changes`, { headers: { cookie }, signal: abort.signal });
    abort.abort();
    const find = () => findAccess().find((line) => line.path === "/api/changes");
    await vi.waitFor(() => expect(find()).toMatchObject({ status: 200, aborted: true, caller: "user" }), {
      timeout: 60_000,
    });
  });
});

describe("the id of a request", () => {
  const paths = [
    "/healthz",
    "/api/v1/fleet/devices/",
    "/api/changes",
    "/files/x",
    "/devices",
    "/api/trpc/devices.list",
  ];

  test.each(paths)("is in every response of %s, and is that of a valid X-Request-Id", async (address) => {
    const { responses } = await send(
      [address],
      [address, { headers: { "x-request-id": "mine-1.2:3" } }],
      [address, { headers: { "x-request-id": "no spaces" } }],
    );
    const [own, given, refused] = responses.map(({ id }) => id);
    expect(own).toMatch(/^[\w-]{36}$/);
    expect(given).toBe("mine-1.2:3");
    expect(refused).toMatch(/^[\w-]{36}$/);
  });

  test("is the same in the response, in the body of tRPC, and in every line about it, under one name", async () => {
    const { responses } = await send(["/broken"], ["/api/trpc/devices.list?input=%7B%7D"]);
    const [broken, refused] = responses;
    expect(broken?.status).toBe(500);
    const about = lines.filter(({ request_id: id }) => id === broken?.id);
    expect(about.map(({ level, msg }) => [level, msg])).toEqual([
      ["error", "request failed"],
      ["info", "request"],
    ]);
    expect(refused?.text).toContain(`"request_id":"${refused?.id}"`);
    expect(JSON.stringify(lines)).not.toContain("requestId");
  });
});

describe("the metrics of requests", () => {
  test("name areas, known methods and statuses, whatever clients send", async () => {
    await send(
      ["/api/v1/fleet/devices/x-of-a-client/", withKey()],
      ["/api/v1/unknown-of-a-client/"],
      ["/unknown-of-a-client"],
      ["/devices", { method: "PROPFIND" }],
    );
    const { responses } = await send(["/metrics"]);
    const text = responses[0]?.text ?? "";
    expect(text).toContain("muster_http_request_duration_seconds_count");
    expect(text).not.toContain("of-a-client");
    // A web process does not read the queue of jobs, and does not call it down.
    expect(text).not.toContain("\nmuster_queue_up ");
    for (const labels of [
      'area="devices",method="GET",status="404"',
      'area="unrouted",method="GET",status="404"',
      'area="pages",method="other",status="404"',
    ]) {
      expect(text).toContain(`muster_http_request_duration_seconds_count{${labels}}`);
    }
  });
});
