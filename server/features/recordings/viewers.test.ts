import { beforeAll, describe, expect, test } from "vitest";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { jsonRecording, processedRecording } from "@/server/testing/processing";
import { createTrpcCaller, fetchApp } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";

const https = { PUBLIC_URL: "https://muster.example.com", LICHTBLICK_URL: undefined };
const foxglove = "https://app.foxglove.dev";

let org: TestOrganization;
let bytes: Buffer;
let uid: string;
let several: string;
beforeAll(async () => {
  org = await makeOrganization();
  const device = await makeDevice(org);
  bytes = await jsonRecording({ "/n": [[0, { n: 1 }]] });
  const other = await jsonRecording({ "/n": [[5, { n: 2 }]] });
  uid = await processedRecording(org, device.uid, [bytes]);
  several = await processedRecording(org, device.uid, [bytes, other]);
});

const readViewers = (recording = uid, of = org) => createTrpcCaller(of).recordings.viewers({ uid: recording });

async function readLink(): Promise<URL> {
  const [viewer] = await underSettings(https, () => readViewers());
  return new URL(new URL(viewer?.href ?? "").searchParams.get("ds.url") ?? "");
}

describe("other viewers", () => {
  test("open the only file of a recording by its link", async () => {
    const viewers = await underSettings({ ...https, LICHTBLICK_URL: "https://lichtblick.example.com/app" }, () =>
      readViewers(),
    );
    expect(viewers.map(({ name, reason }) => [name, reason])).toEqual([
      ["Foxglove", null],
      ["Lichtblick", null],
    ]);
    const [first, second] = viewers.map(({ href }) => new URL(href ?? ""));
    expect([first?.origin, first?.pathname, second?.origin, second?.pathname]).toEqual([
      foxglove,
      "/~/view",
      "https://lichtblick.example.com",
      "/app",
    ]);
    expect(first?.searchParams.get("ds")).toBe("remote-file");
    const link = await readLink();
    expect(link.origin).toBe("https://muster.example.com");
    const file = await fetchApp(`${link.pathname}${link.search}`);
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test("say why they cannot", async () => {
    const readReason = async (recording: string, settings: Parameters<typeof underSettings>[0]) =>
      (await underSettings(settings, () => readViewers(recording)))[0];
    expect(await readReason(uid, { ...https, PUBLIC_URL: "http://10.0.0.5:3000" })).toEqual({
      name: "Foxglove",
      href: null,
      reason: "Needs an https address in PUBLIC_URL.",
    });
    expect((await readReason(several, https))?.reason).toBe("It has 2 files; Foxglove opens one.");
    await expect(readViewers(uid, await makeOrganization())).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("pages of other origins", () => {
  const request = async (origin: string | null, init: RequestInit = {}) => {
    const link = await readLink();
    const headers = new Headers(init.headers);
    if (origin !== null) headers.set("origin", origin);
    return fetchApp(`${link.pathname}${link.search}`, { ...init, headers });
  };

  test("read a file by ranges when theirs is an origin for links", async () => {
    const asked = { "access-control-request-method": "GET", "access-control-request-headers": "range" };
    const preflight = await request(foxglove, { method: "OPTIONS", headers: asked });
    expect([preflight.status, Object.fromEntries(preflight.headers)]).toEqual([
      204,
      expect.objectContaining({
        "access-control-allow-origin": foxglove,
        "access-control-allow-methods": "GET, HEAD",
        "access-control-allow-headers": "range, if-range",
      }),
    ]);
    const part = await request(foxglove, { headers: { range: "bytes=0-7" } });
    expect([part.status, Object.fromEntries(part.headers)]).toEqual([
      206,
      expect.objectContaining({
        "access-control-allow-origin": foxglove,
        "access-control-expose-headers": "accept-ranges, content-range, content-length, etag",
        "content-range": `bytes 0-7/${bytes.length}`,
        vary: "origin",
      }),
    ]);
    expect((await request(foxglove, { method: "HEAD" })).headers.get("access-control-allow-origin")).toBe(foxglove);
    const own = { LICHTBLICK_URL: "https://lichtblick.example.com/app" };
    const lichtblick = await underSettings(own, () => request("https://lichtblick.example.com"));
    expect(lichtblick.headers.get("access-control-allow-origin")).toBe("https://lichtblick.example.com");
  });

  test.each([["https://evil.example"], ["https://app.foxglove.dev.evil.example"], ["null"], [null]])(
    "do not when it is %s",
    async (origin) => {
      expect((await request(origin)).headers.get("access-control-allow-origin")).toBeNull();
      const preflight = await request(origin, { method: "OPTIONS" });
      expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([405, null]);
    },
  );

  test("learn of a link that is not valid, and may upload nothing", async () => {
    const wrong = await fetchApp("/files/recordings/x", { headers: { origin: foxglove } });
    expect([wrong.status, wrong.headers.get("access-control-allow-origin")]).toEqual([404, foxglove]);
    const upload = await fetchApp("/files/upload/recordings/x", {
      method: "OPTIONS",
      headers: { origin: foxglove },
    });
    expect([upload.status, upload.headers.get("access-control-allow-origin")]).toEqual([405, null]);
  });
});
