import dns from "node:dns";
import net from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  checkReceiver,
  checkUrl,
  egressLimits,
  EgressError,
  sendOutbound,
} from "@/server/platform/http-client/http-client";
import { configureEgress } from "@/server/platform/http-client/settings";
import { startReceiver, type Receiver } from "@/server/testing/receiver";

const loopback = { allow: ["127.0.0.0/8"] };
const nothing = { allow: [] };

let receiver: Receiver;
let restore: (() => void)[] = [];
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const undo of restore.reverse()) undo();
  restore = [];
  await receiver.close();
});
const egress = (changes: Parameters<typeof configureEgress>[0]) => restore.push(configureEgress(changes));
const resolvesTo = (...addresses: string[]) => ({
  resolve: () => Promise.resolve(addresses.map((address) => ({ address, family: net.isIP(address) }))),
});
const catchError = (sent: Promise<unknown>) =>
  sent.then(
    () => "sent",
    (error: unknown) => (error instanceof EgressError ? error.fault : String(error)),
  );

const literals = [
  "127.0.0.1",
  "127.1",
  "0x7f.1",
  "0177.0.0.1",
  "2130706433",
  "0x7f000001",
  "127.0.0.1.",
  "①②⑦.⓪.⓪.①",
  "%31%32%37.0.0.1",
  "[::1]",
  "[::]",
  "[::ffff:7f00:1]",
  "[::ffff:127.0.0.1]",
  "[::7f00:1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "localhost",
  "localhost.",
  "LOCALHOST",
  "api.localhost",
  "0.0.0.0",
  "10.0.0.1",
  "192.168.0.1",
  "172.16.9.9",
  "100.64.1.1",
  "169.254.169.254",
  "[fe80::1]",
  "[fd00:ec2::254]",
  "224.0.0.1",
  "168.63.129.16",
];

describe("checking an address when it is saved", () => {
  test.each(literals)("https://%s/ is refused", (host) => {
    egress(nothing);
    expect(checkUrl(`https://${host}/hook`)).toMatchObject({ ok: false });
  });

  test.each([
    "http://example.com/",
    "ftp://example.com/",
    "//example.com/",
    "javascript:alert(1)",
    "https:example.com",
    "https://",
    "https:///example.com",
    "https://user@example.com/",
    "https://u:p@example.com/",
    "https://example.com/#f",
    "https://example.com/#",
    "https://example.com:22/",
    "https://example.com:25/",
    "https://example.com:6379/",
    "https://example.com/a b",
    " https://example.com/",
    "https://exa\tmple.com/",
    "https:\\\\example.com",
    "https://exam\\ple.com/",
    `https://example.com/${"a".repeat(2_029)}`,
    "example.com",
    "",
  ])("%s is refused", (url) => {
    egress(nothing);
    expect(checkUrl(url)).toMatchObject({ ok: false });
  });

  test.each([
    ["https://example.com/hook?x=1", "https://example.com/hook?x=1"],
    ["https://EXAMPLE.com:443/./a/../hook", "https://example.com/hook"],
    ["https://example.com./hook", "https://example.com/hook"],
    ["https://example.com:8443/", "https://example.com:8443/"],
    ["https://8.8.8.8/", "https://8.8.8.8/"],
    ["https://[2606:4700:4700::1111]/", "https://[2606:4700:4700::1111]/"],
    [`https://example.com/${"a".repeat(2_028)}`, `https://example.com/${"a".repeat(2_028)}`],
  ])("%s is accepted, in one spelling", (url, spelling) => {
    egress(nothing);
    const checked = checkUrl(url);
    expect(checked.ok && checked.url.href).toBe(spelling);
  });

  test("http is accepted only for ranges that the operator permits", () => {
    egress(loopback);
    expect(checkUrl("http://127.0.0.1:8080/")).toMatchObject({ ok: true });
    expect(checkUrl("http://localhost:8080/")).toMatchObject({ ok: true });
    expect(checkUrl("https://0x7f.1/")).toMatchObject({ ok: true });
    expect(checkUrl("http://8.8.8.8/")).toMatchObject({ ok: false });
    expect(checkUrl("http://10.0.0.1/")).toMatchObject({ ok: false });
  });
});

describe("sending", () => {
  test.each(literals)("no packet goes to %s", async (host) => {
    egress({ ...nothing, resolve: (name) => dns.promises.lookup(name, { all: true }) });
    expect(await catchError(sendOutbound({ url: `https://${host}:${receiver.port}/`, body: "x" }))).toBe("blocked");
    expect(await catchError(sendOutbound({ url: `http://${host}:${receiver.port}/`, body: "x" }))).toBe("blocked");
    expect(receiver.connections()).toBe(0);
  });

  test.each([
    ["a private address", ["127.0.0.1"]],
    ["a mapped one", ["::ffff:127.0.0.1"]],
    ["a public and a private one", ["8.8.8.8", "127.0.0.1"]],
    ["the metadata service", ["169.254.169.254"]],
  ])("a name that resolves to %s is blocked before any packet", async (_what, addresses) => {
    egress({ ...nothing, ...resolvesTo(...addresses) });
    expect(await catchError(sendOutbound({ url: `https://rebind.example:${receiver.port}/`, body: "x" }))).toBe(
      "blocked",
    );
    expect(receiver.connections()).toBe(0);
  });

  test("a name is resolved once per connection, so that a second lookup cannot return another address", async () => {
    let lookups = 0;
    egress({
      ...loopback,
      resolve: () => Promise.resolve([{ address: ++lookups === 1 ? "127.0.0.1" : "10.0.0.1", family: 4 }]),
    });
    expect((await sendOutbound({ url: `http://rebind.example:${receiver.port}/` })).status).toBe(200);
    expect(lookups).toBe(1);
    expect(await catchError(sendOutbound({ url: `http://rebind.example:${receiver.port}/` }))).toBe("blocked");
    expect(receiver.connections()).toBe(1);
  });

  test("over http a name must resolve into a permitted range, even if its address is public", async () => {
    egress({ ...loopback, ...resolvesTo("8.8.8.8") });
    expect(await catchError(sendOutbound({ url: "http://public.example/" }))).toBe("blocked");
  });

  test("a name that does not resolve is a dns fault", async () => {
    egress({ ...nothing, resolve: () => Promise.reject(new Error("ENOTFOUND")) });
    expect(await catchError(sendOutbound({ url: "https://nowhere.example/" }))).toBe("dns");
  });

  test("method, path, headers and body are received as they were sent", async () => {
    egress(loopback);
    const body = '{"temperature":"größer"}';
    await sendOutbound({ url: `${receiver.url}/hook?a=1`, body, headers: { "content-type": "application/json" } });
    expect(receiver.received).toMatchObject([{ method: "POST", path: "/hook?a=1", body }]);
    expect(receiver.received[0]?.headers).toMatchObject({ "content-type": "application/json", "user-agent": "Muster" });
  });

  test("a redirect is returned, not followed", async () => {
    egress(loopback);
    const target = await startReceiver();
    receiver.respondWith((_request, response) => response.writeHead(302, { location: target.url }).end());
    expect((await sendOutbound({ url: receiver.url })).status).toBe(302);
    expect(target.connections()).toBe(0);
    await target.close();
  });

  test("the body of a response is cut off after 16 KiB, and NUL is removed", async () => {
    egress(loopback);
    receiver.respondWith((_request, response) => response.end(`\0${"a".repeat(100_000)}`));
    const { body } = await sendOutbound({ url: receiver.url });
    expect(body).toBe("a".repeat(egressLimits.responseBytes - 1));
  });

  test("a response whose body never ends is returned with what was received", async () => {
    egress(loopback);
    receiver.respondWith((_request, response) => {
      response.writeHead(200);
      response.write("begun");
    });
    const response = await sendOutbound({ url: receiver.url });
    expect(response).toMatchObject({ status: 200, body: "begun" });
  });

  test("a closed port is a connect fault, and a closed connection a protocol fault", async () => {
    egress(loopback);
    receiver.respondWith((_request, response) => response.destroy());
    expect(await catchError(sendOutbound({ url: receiver.url }))).toBe("protocol");
    const { url } = receiver;
    await receiver.close();
    expect(await catchError(sendOutbound({ url }))).toBe("connect");
    receiver = await startReceiver();
  });

  test("a caller can abort a request", async () => {
    egress(loopback);
    receiver.respondWith(() => {});
    expect(await catchError(sendOutbound({ url: receiver.url, signal: AbortSignal.timeout(50) }))).toBe("timeout");
  });
});

describe("the URL of a receiver over http", () => {
  const isAccepted = async (url: string) => (await checkReceiver(url)).ok;

  test("is accepted when its name resolves to permitted addresses only", async () => {
    egress({ ...loopback, ...resolvesTo("127.0.0.1", "127.9.9.9") });
    expect(await isAccepted("http://receiver.test/hook")).toBe(true);
    egress(resolvesTo("127.0.0.1", "93.184.215.14"));
    expect(await isAccepted("http://receiver.test/hook")).toBe(false);
    egress(resolvesTo());
    expect(await isAccepted("http://receiver.test/hook")).toBe(false);
    egress({ resolve: () => Promise.reject(new Error("no such name")) });
    expect(await checkReceiver("http://receiver.test/hook")).toEqual({
      ok: false,
      message: "Only https:// is accepted for this address.",
    });
  });

  test("is refused without permitted ranges, and https needs none", async () => {
    egress({ ...nothing, ...resolvesTo("127.0.0.1") });
    expect(await isAccepted("http://receiver.test/hook")).toBe(false);
    expect(await isAccepted("https://receiver.test/hook")).toBe(true);
  });
});
