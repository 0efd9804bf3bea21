import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import * as restApp from "@/server/composition/rest-app";
import { listenOnLoopback } from "@/server/testing/listening";
import { createWebServer } from "@/server/transport/http/http-server";

const patience = { head: 300, body: 300, uploadSilence: 300, check: 50 };
const { server } = createWebServer(
  restApp,
  async (request, response) => {
    if (request.url === "/slow-to-read") await sleep(1_000);
    for await (const chunk of request) void chunk;
    response.end(`page ${request.url}`);
  },
  patience,
);

/**
 * Sends raw bytes and resolves to all that comes back until the server closes, so `connection: close` belongs in the
 * request.
 */
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
  it("gives pages what is neither probe nor API", async () => {
    expect(await exchange(request("GET /devices?x=1"))).toContain("page /devices?x=1");
    expect(await exchange(request("GET /api/auth/session"))).toContain("page /api/auth/session");
  });

  it("tells that it lives, and whether it is ready, also to HEAD", async () => {
    expect(readStatus(await exchange(request("GET /healthz")))).toBe(200);
    expect(readStatus(await exchange(request("HEAD /healthz")))).toBe(200);
    expect(await exchange(request("GET /readyz"))).toContain('"status":"ready"');
    expect(readStatus(await exchange(request("POST /readyz")))).toBe(405);
  });

  it("shows its metrics to this machine alone, and not to whom a proxy speaks for", async () => {
    expect(await exchange(request("GET /metrics"))).toContain("muster_database_connections");
    expect(readStatus(await exchange(request("GET /metrics", "x-forwarded-for: 8.8.8.8")))).toBe(404);
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

  it("hangs up on a body that does not end, with 408", async () => {
    expect(readStatus(await exchange(request("POST /page", "content-length: 10"), "12345"))).toBe(408);
  });

  it.each([10, 1_000_000])("does not blame a client for %d bytes that we are slow to read", async (length) => {
    const response = await exchange(request("POST /slow-to-read", `content-length: ${length}`), "x".repeat(length));
    expect(readStatus(response)).toBe(200);
  });

  it("hangs up on a body that does not end although we were slow to read it, with 408", async () => {
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

  it("answers HEAD like GET without a body", async () => {
    const response = await exchange(request("HEAD /api/v1/fleet/devices/"));
    expect(readStatus(response)).toBe(401);
    expect(response.split("\r\n\r\n")[1]).toBe("");
  });

  it("keeps a connection for the next request", async () => {
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
