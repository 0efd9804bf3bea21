import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
// oxlint-disable-next-line no-restricted-imports -- a page that is slow to read its request
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { compose } from "@/server/testing/composition";
import { listenOnLoopback } from "@/server/testing/listening";
import { underSettings } from "@/server/testing/settings";
import { createWebServer } from "@/server/transport/http/http-server";

const timeouts = { head: 300, body: 300, uploadSilence: 300, check: 50 };
const { server } = createWebServer(
  await compose("rest-app"),
  async (request, response) => {
    if (request.url === "/slow-to-read") await sleep(1_000);
    for await (const chunk of request) void chunk;
    response.end(`page ${request.url}`);
  },
  timeouts,
);

/** Sends raw bytes and resolves to everything received until the server closes; needs `connection: close`. */
async function exchange(...pieces: string[]): Promise<string> {
  const socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
  let response = "";
  socket.setEncoding("utf8").on("data", (text) => (response += text));
  socket.on("error", () => {});
  for (const piece of pieces) socket.write(piece);
  await once(socket, "close");
  return response;
}
const readStatus = (response: string) => Number(response.split(" ")[1]);
const request = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, "host: x", "connection: close", ...headers, "", ""].join("\r\n");

await listenOnLoopback(server);

describe("the web server", () => {
  it("passes requests to pages that are neither for probes nor for the API", async () => {
    expect(await exchange(request("GET /devices?x=1"))).toContain("page /devices?x=1");
    expect(await exchange(request("GET /api/auth/session"))).toContain("page /api/auth/session");
  });

  it("responds to probes of liveness and readiness, also with HEAD", async () => {
    expect(readStatus(await exchange(request("GET /healthz")))).toBe(200);
    expect(readStatus(await exchange(request("HEAD /healthz")))).toBe(200);
    expect(await exchange(request("GET /readyz"))).toContain('"status":"ready"');
    expect(readStatus(await exchange(request("POST /readyz")))).toBe(405);
  });

  it("serves metrics only to clients on this machine that are not behind a proxy", async () => {
    expect(await exchange(request("GET /metrics"))).toContain("muster_database_connections");
    for (const header of ["x-forwarded-for", "x-real-ip", "x-forwarded-host", "via", "forwarded", "cf-connecting-ip"]) {
      expect([header, readStatus(await exchange(request("GET /metrics", `${header}: 8.8.8.8`)))]).toEqual([
        header,
        404,
      ]);
    }
  });

  it("serves metrics to everybody who has METRICS_TOKEN, behind a proxy too", async () => {
    const send = (token: string) =>
      exchange(request("GET /metrics", "x-forwarded-for: 8.8.8.8", `authorization: Bearer ${token}`));
    await underSettings({ METRICS_TOKEN: "a-token-of-enough-length" }, async () => {
      expect(readStatus(await send("another-token-of-length"))).toBe(404);
      expect(readStatus(await send("a-token-of-enough-length"))).toBe(200);
    });
    expect(readStatus(await send("undefined"))).toBe(404);
  });

  it("tells browsers to use https for a year, on every entry, once PUBLIC_URL is https", async () => {
    const lines = ["GET /devices", "GET /api/v1/", "GET /api/changes", "GET /files/x", "GET /_next/static/x.js"];
    const sent = async (line: string) => (await exchange(request(line, "x-forwarded-proto: https"))).toLowerCase();
    const header = "strict-transport-security: max-age=31536000; includesubdomains";
    for (const line of lines) expect(await sent(line)).not.toContain("strict-transport-security");
    await underSettings({ PUBLIC_URL: "https://muster.example", TRUSTED_PROXY_HOPS: 1 }, async () => {
      for (const line of lines) expect([line, (await sent(line)).includes(header)]).toEqual([line, true]);
    });
  });

  it("lets no other site load pages, API responses and streams", async () => {
    for (const line of ["GET /devices", "GET /api/v1/", "GET /api/changes", "GET /_next/static/x.js"]) {
      const response = (await exchange(request(line))).toLowerCase();
      expect([line, response.includes("cross-origin-resource-policy: same-origin")]).toEqual([line, true]);
    }
  });

  it("lets no browser guess another type, and shows what is no page without frames, scripts and styles", async () => {
    const policy = "content-security-policy: default-src 'none'; frame-ancestors 'none'";
    for (const line of ["GET /healthz", "GET /metrics", "GET /api/v1/", "GET /api/changes", "GET /files/x"]) {
      const response = (await exchange(request(line))).toLowerCase();
      expect([line, response.split("\r\n").includes(policy)]).toEqual([line, true]);
    }
    for (const line of ["GET /healthz", "GET /api/v1/", "GET /files/x", "GET /devices", "GET /_next/static/x.js"]) {
      const response = (await exchange(request(line))).toLowerCase();
      expect([line, response.match(/x-content-type-options: nosniff\r\n/g)]).toEqual([line, [expect.any(String)]]);
    }
  });

  it("refuses 101 headers and heads above 16 KiB with 431", async () => {
    const many = Array.from({ length: 99 }, (_, index) => `x-${index}: 1`);
    expect(readStatus(await exchange(request("GET /healthz", ...many)))).toBe(431);
    expect(readStatus(await exchange(request("GET /healthz", ...many.slice(1))))).toBe(200);
    expect(readStatus(await exchange(request("GET /healthz", `x-long: ${"a".repeat(20_000)}`)))).toBe(431);
  });

  it("hangs up on a head that does not end, with 408", async () => {
    expect(readStatus(await exchange("GET /healthz HTTP/1.1\r\nhost: x\r\n"))).toBe(408);
  });

  it("closes the connection with 408 when a body does not end", async () => {
    expect(readStatus(await exchange(request("POST /page", "content-length: 10"), "12345"))).toBe(408);
  });

  it.each([10, 1_000_000])("does not time out %d received bytes that the handler reads slowly", async (length) => {
    const response = await exchange(request("POST /slow-to-read", `content-length: ${length}`), "x".repeat(length));
    expect(readStatus(response)).toBe(200);
  });

  it("closes the connection with 408 when a body does not end that the handler reads slowly", async () => {
    expect(readStatus(await exchange(request("POST /slow-to-read", "content-length: 10"), "12345"))).toBe(408);
  });

  it("refuses what could be read in two ways", async () => {
    const twoLengths = request("POST /page", "transfer-encoding: chunked", "content-length: 4");
    expect(readStatus(await exchange(twoLengths, "0\r\n\r\n"))).toBe(400);
    expect(readStatus(await exchange("GET /healthz HTTP/1.1\nhost: x\n\n"))).toBe(400);
    expect(readStatus(await exchange(request("GET http://elsewhere/healthz")))).toBe(400);
    expect(readStatus(await exchange(request("OPTIONS *")))).toBe(400);
  });

  it("answers methods that nobody has with 405 on the API, not with a failure", async () => {
    for (const method of ["TRACE", "PROPFIND", "PUT", "OPTIONS"]) {
      expect([method, readStatus(await exchange(request(`${method} /api/v1/fleet/devices/`)))]).toEqual([method, 405]);
    }
  });

  it("responds to HEAD like to GET, without a body", async () => {
    const response = await exchange(request("HEAD /api/v1/fleet/devices/"));
    expect(readStatus(response)).toBe(401);
    expect(response.split("\r\n\r\n")[1]).toBe("");
  });

  it("leaves a connection open for the next request", async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const port = (server.address() as AddressInfo).port;
    const get = () =>
      new Promise<boolean>((resolve, reject) => {
        const sent = http.get({ port, path: "/healthz", agent }, (response) => {
          response.resume().once("end", () => resolve(sent.reusedSocket));
        });
        sent.once("error", reject);
      });
    expect(await get()).toBe(false);
    expect(await get()).toBe(true);
    agent.destroy();
  });
});
