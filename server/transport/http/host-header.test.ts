import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { env } from "@/server/platform/env";
import { compose } from "@/server/testing/composition";
import { makeDevice, makeOrganization, sessionCookie, type TestOrganization } from "@/server/testing/factories";
import { listenOnLoopback } from "@/server/testing/listening";
import { request, fetchApp } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";
import { createWebServer } from "@/server/transport/http/http-server";
import { getOrigin, getVisitedOrigin, isOwnHost } from "@/server/transport/rest/own-host";

/** What a Host header of somebody else's choice changes: nothing that anybody follows, and nothing that is done. */

const restApp = await compose("rest-app");

const own = [
  ...["127.0.0.1", "127.0.0.1:3000", "[::1]:3000", "192.0.2.7:8080", "localhost:3000", "muster:3000", "robots.local"],
  ...["muster.lan", "muster.internal", "MUSTER.Local", "a.localhost"],
];
const foreign = [
  ...[
    "evil.test",
    "evil.test:3000",
    "127.0.0.1.evil.test",
    "localhost.evil.test",
    "local.evil.test",
    "evil.local.test",
  ],
  ...["muster.example.evil.test", "evilmuster.example", "muster.example:444", "[::1].evil.test", "evil.test#.local"],
  ...[
    "user@evil.test",
    "evil.test/.local",
    "evil.test\\.local",
    "evil.test?.local",
    "127.0.0.1@evil.test",
    "",
    " ",
    "a b",
  ],
];
const https = { PUBLIC_URL: "https://muster.example", PUBLIC_URL_GIVEN: true };
const notSet = { PUBLIC_URL: "http://127.0.0.1:3000", PUBLIC_URL_GIVEN: false };

describe("a Host header", () => {
  test.each(own)("%s is this installation's", (host) => expect(isOwnHost(host)).toBe(true));

  test("of PUBLIC_URL is this installation's", async () => {
    await underSettings(https, async () => expect(isOwnHost("muster.example")).toBe(true));
  });

  test.each(foreign)("%j is not, whether PUBLIC_URL is set or not", async (host) => {
    for (const settings of [https, notSet]) {
      await underSettings(settings, async () => expect(isOwnHost(host)).toBe(false));
    }
  });
});

describe("the origin that pages show", () => {
  test("is the one that the browser uses, if it is ours", async () => {
    await underSettings({ ...https, PUBLIC_URL: "https://muster.example" }, async () => {
      // Behind a proxy that ends TLS the request itself is plain.
      expect(getVisitedOrigin("Muster.Example", "http")).toBe("https://muster.example");
      expect(getVisitedOrigin("10.0.0.5:4250", "http")).toBe("http://10.0.0.5:4250");
      for (const host of foreign) expect(getVisitedOrigin(host, "http")).toBe("https://muster.example");
    });
    await underSettings(notSet, async () => {
      expect(getVisitedOrigin("localhost:4250", "http")).toBe("http://localhost:4250");
      expect(getVisitedOrigin("muster.lan", "https")).toBe("https://muster.lan");
      for (const host of foreign) expect(getVisitedOrigin(host, "https")).toBe("http://127.0.0.1:3000");
    });
  });
});

describe("a link in a response", () => {
  let org: TestOrganization;
  let recording: string;
  beforeAll(async () => {
    org = await makeOrganization();
    const [device] = await Promise.all([makeDevice(org), makeDevice(org)]);
    const created = await request("POST", "/fleet/recordings/", { key: org.key, body: { device_id: device?.uid } });
    recording = String(created.body.uid);
  });

  const headers = () => ({ "x-service-api-key": org.key, "content-type": "application/json" });
  const hosts = foreign.filter((host) => URL.canParse(`http://${host}/`) && new URL(`http://${host}/`).host === host);

  /** Everything that holds an address of our own: the document, the next page, and where to upload. */
  async function readLinks(host: string): Promise<string> {
    const at = `http://${host}/api/v1`;
    const upload = `${at}/fleet/recordings/${recording}/upload`;
    const post = async (path: string, body: unknown) =>
      (await fetchApp(upload + path, { method: "POST", headers: headers(), body: JSON.stringify(body) })).text();
    const document = (await (await fetchApp(`${at}/openapi.json`)).json()) as { servers: unknown };
    const page = await (await fetchApp(`${at}/fleet/devices/?limit=1`, { headers: headers() })).text();
    const session = await post("/init/", { files: [{ path: "a.mcap", size_bytes: 10 }] });
    const { uid } = JSON.parse(session) as { uid: string };
    const urls = await post("/urls/", { session_uid: uid, file_paths: ["a.mcap"] });
    expect([page, urls]).toEqual([expect.stringContaining('"next":"http'), expect.stringContaining('"put_url":"http')]);
    return JSON.stringify(document.servers) + page + urls;
  }

  test.each(hosts)("never leads to %s, which the request named", async (host) => {
    for (const settings of [https, notSet]) {
      await underSettings(settings, async () => {
        const links = await readLinks(host);
        expect(links).toContain(`${settings.PUBLIC_URL}/api/v1/fleet/devices/`);
        expect(links).not.toContain(host);
      });
    }
  });

  test("leads to the address of the local network that the request used when PUBLIC_URL is not set", async () => {
    await underSettings(notSet, async () => {
      expect(getOrigin(new URL("http://muster.lan:3000/x"))).toBe("http://muster.lan:3000");
      expect(await readLinks("muster.lan:3000")).toContain("http://muster.lan:3000/api/v1/fleet/devices/");
    });
  });
});

describe("a page of a foreign name that leads to this machine", () => {
  const { server } = createWebServer(restApp, async (incoming, response) => {
    for await (const chunk of incoming) void chunk;
    response.end("done");
  });
  beforeAll(() => listenOnLoopback(server));

  async function post(path: string, headers: string[]): Promise<number> {
    const socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("utf8");
    const lines = [`POST ${path} HTTP/1.1`, "connection: close", "content-type: application/json", "content-length: 2"];
    socket.write([...lines, ...headers, "", "{}"].join("\r\n"));
    let response = "";
    socket.on("data", (text: string) => (response += text));
    await once(socket, "close");
    return Number(response.split(" ")[1]);
  }

  const changes = ["/api/trpc/account.signUp", "/api/auth/callback/credentials", "/api/auth/signout", "/login"];

  test("cannot change anything, although the browser calls it the same origin", async () => {
    const cookie = `cookie: ${await sessionCookie((await makeOrganization()).owner)}`;
    for (const settings of [{ ...https, PUBLIC_URL: "http://muster.example" }, notSet]) {
      await underSettings(settings, async () => {
        for (const path of changes) {
          for (const browser of [["sec-fetch-site: same-origin"], []]) {
            const request = ["host: evil.test:3000", "origin: http://evil.test:3000", ...browser];
            expect([path, await post(path, request)]).toEqual([path, 403]);
            expect([path, await post(path, [...request, cookie])]).toEqual([path, 403]);
          }
        }
      });
    }
  });

  test("differs from our own page, by the address of PUBLIC_URL and by one of the local network", async () => {
    const { PUBLIC_URL: origin } = env;
    expect(await post("/login", ["host: proxied.internal.example", `origin: ${origin}`])).toBe(200);
    expect(await post("/login", ["host: 127.0.0.1:3000", "sec-fetch-site: same-origin"])).toBe(200);
  });
});
