import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import net, { type AddressInfo, type Socket } from "node:net";
import { createTRPCClient, httpBatchLink } from "@trpc/client";
import { describe, expect, test } from "vitest";
import { readFailure } from "@/components/product/failure";
import type { AppRouter } from "@/server/composition/trpc-root";
import type { SignedUrls, UploadSessionResource } from "@/server/features/uploads/resource";
import { compose } from "@/server/testing/composition";
import { makeDevice, makeOrganization } from "@/server/testing/factories";
import { listenOnLoopback } from "@/server/testing/listening";
import { request } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";
import { createWebServer } from "@/server/transport/http/http-server";

/** Guarantees of every entry point: REST, tRPC, sign-in, pages, event streams and files. */

const mebibyte = 1024 * 1024;
/** Allowance for bytes read beyond a limit: 8 MiB that are discarded, and those received until the socket is closed. */
const slack = 12 * mebibyte;

/** Pages respond with the length of the body that they received. */
const { server } = createWebServer(await compose("rest-app"), async (incoming, response) => {
  let length = 0;
  for await (const chunk of incoming) length += (chunk as Buffer).length;
  response.end(`page got ${length}`);
});
const accepted = new Map<number | undefined, Socket>();
const requests = new Map<number | undefined, IncomingMessage>();
server.on("connection", (socket) => accepted.set(socket.remotePort, socket));
server.on("request", (incoming) => requests.set(incoming.socket.remotePort, incoming));

const org = await makeOrganization();
await listenOnLoopback(server);

interface Entry {
  name: string;
  line: string;
  maxBytes?: number;
}
const entries: Entry[] = [
  { name: "REST", line: "POST /api/v1/fleet/devices/" },
  { name: "REST for batches", line: "POST /api/v1/fleet/events/batch/", maxBytes: 8 * mebibyte },
  { name: "tRPC", line: "POST /api/trpc/account.signUp" },
  { name: "tRPC in a batch", line: "POST /api/trpc/account.signUp,account.signUp?batch=1" },
  { name: "sign-in", line: "POST /api/auth/callback/credentials" },
  { name: "a page", line: "POST /devices" },
  { name: "a page requested with GET", line: "GET /devices" },
  { name: "the event stream", line: "GET /api/changes" },
  { name: "a download", line: "GET /files/recordings/x" },
  { name: "a POST to an upload path", line: "POST /files/upload/x" },
  { name: "a probe", line: "GET /healthz" },
];

const connect = () => net.connect((server.address() as AddressInfo).port, "127.0.0.1");
const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, "host: muster.example", `x-service-api-key: ${org.key}`, ...headers, "", ""].join("\r\n");
const readStatus = (response: string) => Number(response.split(" ")[1]);
const readBody = (response: string) => response.split("\r\n\r\n")[1];
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${" ".repeat(bytes)}\r\n`;
const lastChunk = "0\r\n\r\n";

interface Exchange {
  response: string;
  /** Bytes that the server read from this connection: head and body. */
  bytesRead: number;
  /** Bytes of the body left in memory for a reader. */
  bytesBuffered: number;
}

/** Sends these pieces one after the other, and resolves when the connection has ended. */
async function exchange(pieces: Iterable<string>): Promise<Exchange> {
  const socket = connect();
  let response = "";
  socket.setEncoding("utf8").on("data", (text: string) => (response += text));
  const closed = new Promise<void>((resolve) => socket.on("error", () => {}).once("close", () => resolve()));
  await once(socket, "connect");
  const port = socket.localPort;
  for (const piece of pieces) {
    if (socket.destroyed) break;
    if (!socket.write(piece)) await Promise.race([once(socket, "drain").catch(() => {}), closed]);
  }
  await closed;
  const [socketOfServer, incoming] = [accepted.get(port), requests.get(port)];
  return {
    response,
    bytesRead: socketOfServer?.bytesRead ?? Number.NaN,
    bytesBuffered: incoming?.readableLength ?? Number.NaN,
  };
}

/** Sends a head without its body and resolves to the response, which must be complete nevertheless. */
async function sendHead(text: string): Promise<string> {
  const socket = connect().setEncoding("utf8");
  socket.write(text);
  let response = "";
  for await (const piece of socket) {
    response += String(piece);
    if ((readBody(response)?.length ?? -1) === Number(/content-length: (\d+)/i.exec(response)?.[1])) break;
  }
  return response;
}

const tooLarge = '{"detail":"The request body is too large."}';
const close = "connection: close";
const chunked = "transfer-encoding: chunked";

describe("a body that is too large", () => {
  const byLength = "is refused by $name for its declared length, before any of it is received";
  test.concurrent.each(entries)(byLength, async ({ line, maxBytes = mebibyte }) => {
    const response = await sendHead(head(line, `content-length: ${maxBytes + 1}`));
    expect([readStatus(response), readBody(response)]).toEqual([413, tooLarge]);
    expect(response.toLowerCase()).toContain(`\r\n${close}\r\n`);
  });

  test.concurrent("ends the connection even when the client sends nothing more", async () => {
    const { response } = await exchange([head("POST /devices", `content-length: ${2 * mebibyte}`)]);
    expect(readStatus(response)).toBe(413);
  });

  test.concurrent.each(entries)("is refused by $name without reading it when 60 MB are sent", async ({ line }) => {
    const pieces = Array.from({ length: 60 }, () => " ".repeat(mebibyte));
    const { response, bytesRead } = await exchange([head(line, `content-length: ${60 * mebibyte}`), ...pieces]);
    expect([readStatus(response), readBody(response)]).toEqual([413, tooLarge]);
    expect(bytesRead).toBeLessThan(slack);
  });

  test.concurrent.each(entries)("is refused by $name when it has no end", async ({ line, maxBytes = mebibyte }) => {
    const forever = function* () {
      yield head(line, chunked);
      for (;;) yield chunk(256 * 1024);
    };
    const { response, bytesRead, bytesBuffered } = await exchange(forever());
    expect([readStatus(response), readBody(response)]).toEqual([413, tooLarge]);
    expect(bytesRead).toBeLessThan(maxBytes + slack);
    expect(bytesBuffered).toBeLessThan(maxBytes + mebibyte);
  });

  test.concurrent.each(entries)(
    "is refused by $name from one byte above the limit",
    async ({ line, maxBytes = mebibyte }) => {
      const fits = [head(line, chunked, close), chunk(maxBytes - 10), chunk(10), lastChunk];
      expect(readStatus((await exchange(fits)).response)).not.toBe(413);
      const oneMore = [head(line, chunked, close), chunk(maxBytes - 10), chunk(11), lastChunk];
      expect(readStatus((await exchange(oneMore)).response)).toBe(413);
    },
  );

  test("is refused with a response that reaches a client that sends all of it before it reads", async () => {
    for (const { line } of entries) {
      const socket = connect().pause();
      socket.end(head(line, `content-length: ${4 * mebibyte}`, close) + " ".repeat(4 * mebibyte));
      await once(socket, "finish");
      let response = "";
      for await (const text of socket.setEncoding("utf8")) response += String(text);
      expect([line, readStatus(response)]).toEqual([line, line.includes("batch/") ? 400 : 413]);
    }
  });

  test("is checked by REST after the route, the key and the permission", async () => {
    const large = `content-length: ${60 * mebibyte}`;
    const lines = ["POST /api/v1/no/such/path/", "PUT /api/v1/fleet/devices/", "POST /api/v1/fleet/devices/"];
    const statuses = lines.map(async (line) => {
      const response = await sendHead(head(line, large).replace(org.key, "wrong"));
      expect(response.toLowerCase()).toContain(`\r\n${close}\r\n`);
      return readStatus(response);
    });
    expect(await Promise.all(statuses)).toEqual([404, 405, 401]);
  });

  test("is refused by an operation without a body", async () => {
    const response = await sendHead(head("GET /api/v1/fleet/devices/", `content-length: ${2 * mebibyte}`));
    expect([readStatus(response), readBody(response)]).toEqual([413, tooLarge]);
  });
});

test("the dashboard shows a refusal by the HTTP server before tRPC", async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/trpc`;
  const client = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url })] });
  const account = { email: "ada@example.com", password: "x".repeat(2 * mebibyte) };
  const failure = await client.account.signUp.mutate(account).catch((error: unknown) => readFailure(error));
  expect(failure).toMatchObject({ status: 413, detail: "The request body is too large." });
});

describe("a body within the limit", () => {
  test("is passed to a page completely, in any number of pieces", async () => {
    const pieces = Array.from({ length: 100 }, () => chunk(10_000));
    const { response } = await exchange([head("POST /devices", chunked, close), ...pieces, lastChunk]);
    expect(readBody(response)).toContain("page got 1000000");
    const lines = Array.from({ length: 30 }, () => "x".repeat(10_000));
    const declared = await exchange([head("POST /devices", "content-length: 300000", close), ...lines]);
    expect(readBody(declared.response)).toContain("page got 300000");
  });

  test("is not passed to a page when the client disconnects before its end", async () => {
    const pages: string[] = [];
    const { server: other } = createWebServer(await compose("rest-app"), async (incoming, response) => {
      pages.push(incoming.url ?? "");
      response.end();
    });
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const socket = net.connect((other.address() as AddressInfo).port, "127.0.0.1");
    const disconnected = new Promise<void>((resolve) => {
      other.once("connection", (serverSide) => serverSide.once("close", () => resolve()));
    });
    socket.write(head("POST /devices", "content-length: 1000") + "half of it");
    await once(other, "request");
    socket.destroy();
    await disconnected;
    expect(pages).toEqual([]);
    other.close();
  });

  test("leaves the connection open for the next request, even when the response was sent before the body", async () => {
    const socket = connect().setEncoding("utf8");
    socket.write(head("POST /api/v1/fleet/devices/", "content-length: 10").replace(org.key, "wrong"));
    expect(readStatus(String((await once(socket, "data"))[0]))).toBe(401);
    socket.write(" ".repeat(10) + head("GET /healthz"));
    expect(readStatus(String((await once(socket, "data"))[0]))).toBe(200);
    socket.destroy();
  });
});

test("an upload by a signed link may have the size in the link", async () => {
  const size = 20 * mebibyte;
  const device = await makeDevice(org);
  const recording = await request("POST", "/fleet/recordings/", { key: org.key, body: { device_id: device.uid } });
  const at = `/fleet/recordings/${recording.body.uid}/upload`;
  const files = [{ path: "a.mcap", size_bytes: size }];
  const session = await request<UploadSessionResource>("POST", `${at}/init/`, { key: org.key, body: { files } });
  const body = { session_uid: session.body.uid, file_paths: ["a.mcap"] };
  const signed = await request<SignedUrls>("POST", `${at}/urls/`, { key: org.key, body });
  const { pathname, search } = new URL(signed.body.urls[0]?.put_url ?? "");
  const put = `PUT ${pathname}${search}`;
  const pieces = Array.from({ length: 20 }, () => " ".repeat(mebibyte));
  expect(readStatus((await exchange([head(put, close, `content-length: ${size + 1}`)])).response)).toBe(413);
  expect(readStatus((await exchange([head(put, close, `content-length: ${size}`), ...pieces])).response)).toBe(200);
});

describe("under an https PUBLIC_URL", () => {
  const published = { PUBLIC_URL: "https://muster.example", TRUSTED_PROXY_HOPS: 1 };
  const required = '{"detail":"HTTPS is required."}';
  const protectedRoute = [
    ...entries.filter(({ name }) => name !== "a probe"),
    { name: "an upload", line: "PUT /files/upload/x" },
    { name: "a static file", line: "GET /_next/static/x.js" },
  ];
  const send = async (line: string, ...headers: string[]) => (await exchange([head(line, close, ...headers)])).response;

  test.each(protectedRoute)("$name refuses requests that came to the proxy by plain http", async ({ line }) => {
    await underSettings(published, async () => {
      for (const headers of [[], ["x-forwarded-proto: http"], ["x-forwarded-proto: https, http"]]) {
        const response = await send(line, ...headers);
        expect([readStatus(response), readBody(response)]).toEqual([403, required]);
      }
    });
  });

  test.each(protectedRoute)("$name accepts requests that came to the proxy by https", async ({ line }) => {
    await underSettings(published, async () => {
      expect(readBody(await send(line, "x-forwarded-proto: https"))).not.toContain(required);
    });
  });

  test.each(protectedRoute)("$name ignores the forwarded protocol without a trusted proxy", async ({ line }) => {
    await underSettings({ ...published, TRUSTED_PROXY_HOPS: 0 }, async () => {
      expect(readStatus(await send(line, "x-forwarded-proto: https"))).toBe(403);
    });
  });

  test("probes and metrics are served by plain http", async () => {
    await underSettings(published, async () => {
      for (const path of ["/healthz", "/readyz", "/metrics"]) {
        expect([path, readStatus(await send(`GET ${path}`))]).toEqual([path, 200]);
      }
    });
  });
});
