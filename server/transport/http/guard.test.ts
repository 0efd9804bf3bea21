import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { beforeAll, describe, expect, test } from "vitest";
import * as devicesExport from "@/app/(dashboard)/devices/export/route";
import * as trpc from "@/app/api/trpc/[trpc]/route";
import type { AuditResource } from "@/server/features/audit/resource";
import { env } from "@/server/platform/env";
import { flushAccesses } from "@/server/platform/observability/access-log";
import type { Page } from "@/server/platform/pagination";
import { compose } from "@/server/testing/composition";
import { addMember, makeOrganization, sessionCookie, type TestOrganization } from "@/server/testing/factories";
import { listenOnLoopback } from "@/server/testing/listening";
import { request } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";
import { createWebServer } from "@/server/transport/http/http-server";

/** What the guard refuses, over HTTP, on the entries that Next serves and on streams. Sign-in is a page here. */

const routes = getRequestListener(
  (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/api/trpc/")) return request.method === "GET" ? trpc.GET(request) : trpc.POST(request);
    if (pathname === "/devices/export") return devicesExport.GET(request);
    return new Response("a page");
  },
  { overrideGlobalObjects: false },
);
const { server } = createWebServer(await compose("rest-app"), (request, response) => routes(request, response));
await listenOnLoopback(server);
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

let org: TestOrganization;
let cookie: string;
beforeAll(async () => {
  org = await makeOrganization();
  cookie = await sessionCookie(org.owner);
});

const own = { origin: env.PUBLIC_URL };
const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url + path, { method: "POST", body, headers: { ...json, ...headers }, redirect: "manual" });
const readStatus = async (path: string, headers: Record<string, string> = {}) =>
  (await fetch(url + path, { headers })).status;

describe("a change that another site's page requests", () => {
  const rename = JSON.stringify({ first_name: "Ada" });
  const status = async (headers: Record<string, string>) =>
    (await post("/api/trpc/account.updateProfile", rename, headers)).status;

  test("is refused with the cookie of a signed-in person", async () => {
    expect(await status({ cookie, origin: "https://evil.test" })).toBe(403);
    expect(await status({ cookie, origin: "null" })).toBe(403);
    expect(await status({ cookie })).toBe(403);
    expect(await status({ cookie, "sec-fetch-site": "same-site", origin: "http://sibling.test" })).toBe(403);
    expect(await status({ cookie, "sec-fetch-site": "none" })).toBe(403);
  });

  test("is accepted from our own page", async () => {
    expect(await status({ cookie, ...own })).toBe(200);
    expect(await status({ cookie, "sec-fetch-site": "same-origin" })).toBe(200);
  });

  test("is recognised by the host that the browser used when PUBLIC_URL is not set", async () => {
    await underSettings({ PUBLIC_URL_GIVEN: false }, async () => {
      expect(await status({ cookie, origin: url })).toBe(200);
      expect(await status({ cookie, origin: "http://evil.test" })).toBe(403);
    });
    expect(await status({ cookie, origin: url })).toBe(403);
  });

  test("is refused for signing in and out, too", async () => {
    for (const path of ["/api/auth/callback/credentials", "/api/auth/signout"]) {
      const foreign = await post(path, "csrfToken=x", { ...form, cookie, origin: "https://evil.test" });
      expect([path, foreign.status]).toEqual([path, 403]);
      const ours = await post(path, "csrfToken=x", { ...form, cookie, ...own });
      expect([path, ours.status]).toEqual([path, 200]);
    }
  });

  test("is in the audit log of the person whose cookie it had, one entry for the place in ten minutes", async () => {
    const person = await addMember(org, "member");
    const headers = { cookie: await sessionCookie(person), origin: "https://evil.test" };
    for (let n = 0; n < 3; n++) await post(`/api/trpc/account.updateProfile?n=${n}`, rename, headers);
    await post("/api/auth/signout", "csrfToken=x", { ...form, ...headers });
    await flushAccesses();
    const path = "/audit-log/?action=access.refused";
    const { body } = await request<Page<AuditResource>>("GET", path, { key: org.key });
    const mine = body.results.filter(({ actor_id }) => actor_id === person.uid);
    expect(mine.map(({ target_id, target_name, ip, count }) => [target_id, target_name, ip, count])).toEqual(
      expect.arrayContaining([
        ["tRPC", "POST /api/trpc/account.updateProfile", "127.0.0.1", 3],
        ["sign-in", "POST /api/auth/signout", "127.0.0.1", 1],
      ]),
    );
  });

  test("does not concern reading, programs without a cookie, and keys", async () => {
    expect(await readStatus("/devices", { cookie, origin: "https://evil.test" })).toBe(200);
    expect((await post("/api/trpc/account.signUp", "{}")).status).toBe(400);
    const headers = { ...json, "x-service-api-key": org.key, origin: "https://elsewhere.test" };
    const body = JSON.stringify({ name: "from a script" });
    expect((await fetch(`${url}/api/v1/fleet/devices/`, { method: "POST", headers, body })).status).toBe(201);
  });
});

describe("a text that no column can hold", () => {
  const deep = `${"[".repeat(40)}${"]".repeat(40)}`;
  const bad = [
    { text: "NUL", value: '"a\\u0000b"' },
    { text: "a lone surrogate", value: '"a\\ud800b"' },
    { text: "nesting beyond 32 levels", value: deep },
  ];

  test.each(bad)("is refused by tRPC: $text in a mutation, a query and a batch", async ({ value }) => {
    const input = `{"first_name":${value}}`;
    const single = await post("/api/trpc/account.updateProfile", input, { cookie, ...own });
    const { error } = (await single.json()) as { error: { data: { code: string; issues: { path: string[] }[] } } };
    expect([single.status, error.data.code, error.data.issues[0]?.path]).toEqual([400, "BAD_REQUEST", ["first_name"]]);
    const query = `/api/trpc/devices.list?input=${encodeURIComponent(`{"q":${value}}`)}`;
    expect(await readStatus(query, { cookie })).toBe(400);
    const batch = "/api/trpc/account.updateProfile,account.updateProfile?batch=1";
    const both = await post(batch, `{"0":{"first_name":"Ada"},"1":${input}}`, { cookie, ...own });
    const replies = (await both.json()) as { error?: { data: { httpStatus: number } } }[];
    expect(replies.map((reply) => reply.error?.data.httpStatus ?? 200)).toEqual([200, 400]);
  });

  test.each(["%00", "%ff", "%ed%a0%80", "%", "%zz"])("is refused in an address: %s", async (escape) => {
    for (const path of [`/devices/${escape}`, `/devices?q=${escape}`, `/devices/export?q=${escape}`]) {
      expect([path, await readStatus(path, { cookie })]).toEqual([path, 400]);
    }
    expect(await readStatus(`/api/changes?last_event_id=${escape}`, { cookie })).toBe(400);
    expect(await readStatus(`/api/auth/session?x=${escape}`)).toBe(400);
    expect(await readStatus(`/api/trpc/${escape}`)).toBe(400);
    expect([400, 401, 404]).toContain(await readStatus(`/api/v1/fleet/devices/${escape}/`));
    expect(await readStatus(`/files/${escape}`)).toBe(404);
  });

  test("is refused by sign-in in its form and in JSON", async () => {
    const path = "/api/auth/callback/credentials";
    for (const body of ["email=a%00b", "email=%ff"]) expect((await post(path, body, form)).status).toBe(400);
    expect((await post(path, '{"email":"\\u0000"}')).status).toBe(400);
    const bytes = new Blob([Buffer.from([0x61, 0x3d, 0xff])]);
    expect((await fetch(url + path, { method: "POST", body: bytes, headers: form })).status).toBe(400);
  });
});

test("tRPC reads no body but JSON, so that no form of another site reaches it", async () => {
  for (const type of ["multipart/form-data; boundary=x", "text/plain", "application/octet-stream"]) {
    const headers = { "content-type": type, cookie, ...own };
    expect((await post("/api/trpc/account.updateProfile", "{}", headers)).status).toBe(415);
  }
});

test("tRPC and sign-in read no text but UTF-8", async () => {
  const rename = '{"first_name":"Ada"}';
  for (const [charset, expected] of [
    ["utf-16", 415],
    ["latin1", 415],
    ['"UTF-8"', 200],
    ["utf8", 200],
  ] as const) {
    const headers = { "content-type": `application/json; charset=${charset}`, cookie, ...own };
    expect([charset, (await post("/api/trpc/account.updateProfile", rename, headers)).status]).toEqual([
      charset,
      expected,
    ]);
    const typed = { "content-type": `application/x-www-form-urlencoded; charset=${charset}` };
    expect((await post("/api/auth/callback/credentials", "email=a", typed)).status).toBe(expected);
  }
});

describe("the number of requests", () => {
  const limits = { page_minute: 4, csv_minute: 2, concurrent_streams: 2 };
  const member = async () => sessionCookie(await addMember(org, "member"));

  test("is limited for pages and CSV files by person, whatever the address", async () => {
    const [one, other] = [await member(), await member()];
    await underSettings({ RATE_LIMITS: limits }, async () => {
      const statuses = [];
      for (let n = 0; n < 6; n++) statuses.push(await readStatus("/devices", { cookie: one }));
      expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
      const files = [];
      for (let n = 0; n < 3; n++) files.push(await readStatus("/devices/export", { cookie: other }));
      expect(files).toEqual([200, 200, 429]);
      expect(await readStatus("/devices", { cookie: other })).toBe(200);
    });
  });

  test("explains a refused page to a person as text, with the time to wait", async () => {
    const mine = await member();
    await underSettings({ RATE_LIMITS: { page_minute: 1 } }, async () => {
      expect(await readStatus("/devices", { cookie: mine })).toBe(200);
      const response = await fetch(`${url}/devices`, { headers: { cookie: mine, accept: "text/html,*/*" } });
      expect(response.status).toBe(429);
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await response.text()).toMatch(/^Request was throttled\. Expected available in \d+ seconds?\.$/);
    });
  });

  test("is limited by address for everybody else, whatever cookie they send", async () => {
    await underSettings({ RATE_LIMITS: { page_minute: 3 }, TRUSTED_PROXY_HOPS: 1 }, async () => {
      const statuses = [];
      for (let n = 0; n < 5; n++) {
        const forged = `next-auth.session-token=forged-${n}`;
        statuses.push(await readStatus("/login", { cookie: forged, "x-forwarded-for": "192.0.2.77" }));
      }
      expect(statuses).toEqual([200, 200, 200, 429, 429]);
    });
  });

  test("of streams at the same time is limited by person, and a closed one makes room", async () => {
    const mine = await member();
    await underSettings({ RATE_LIMITS: { concurrent_streams: 2 } }, async () => {
      const open = async () => {
        const ending = new AbortController();
        const { status } = await fetch(`${url}/api/changes`, { headers: { cookie: mine }, signal: ending.signal });
        return { status, close: () => ending.abort() };
      };
      const [first, second, third] = [await open(), await open(), await open()];
      expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
      first.close();
      await expect.poll(async () => (await open()).status).toBe(200);
      second.close();
    });
  });
});

test("a request with two Host headers is refused", async () => {
  const socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.setEncoding("utf8").write("GET /healthz HTTP/1.1\r\nhost: a\r\nHost: b\r\nconnection: close\r\n\r\n");
  let response = "";
  socket.on("data", (text: string) => (response += text));
  await once(socket, "close");
  expect(response).toMatch(/^HTTP\/1\.1 400 /);
});
