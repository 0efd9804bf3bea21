import { randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import type { SignedUrls, UploadSessionResource } from "@/server/features/uploads/resource";
import { env } from "@/server/platform/env";
import { readMetrics } from "@/server/platform/metrics";
import { readiness } from "@/server/platform/process/readiness";
import { lookAtStorage, watchStorage } from "@/server/platform/process/storage-watch";
import { diskSpaceReader } from "@/server/platform/storage/disk-space";
import { diskStore } from "@/server/platform/storage/own";
import { underDiskSpace } from "@/server/testing/disk-space";
import { request } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";
import { openUploadSite } from "@/server/testing/uploads";
import { answerProbe } from "@/server/transport/http/probes";

const { org, deviceId, server } = await openUploadSite();
afterAll(() => server.close());

const size = 4_000_000;
const disk = 100e9;
/** What is left below the default reserve of 2 GB, and above it. */
const [low, plenty] = [
  { free: 1.9e9, size: disk },
  { free: 50e9, size: disk },
];

async function signedUrl(): Promise<string> {
  const key = { key: org.key };
  const { body: recording } = await request("POST", "/fleet/recordings/", { ...key, body: { device_id: deviceId } });
  const at = `/fleet/recordings/${recording.uid}/upload`;
  const files = [{ path: "a.mcap", size_bytes: size }];
  const init = await request<UploadSessionResource>("POST", `${at}/init/`, { ...key, body: { files } });
  const body = { session_uid: init.body.uid, file_paths: ["a.mcap"] };
  const signed = await request<SignedUrls>("POST", `${at}/urls/`, { ...key, body });
  return server.here(signed.body.urls[0]?.put_url ?? "");
}
const readKey = (url: string) => new URL(url).pathname.replace("/files/upload/", "");
const put = (url: string, bytes = randomBytes(size), headers = {}) =>
  fetch(url, { method: "PUT", body: bytes, headers });
const summarize = async (response: Response) => [
  response.status,
  response.headers.get("retry-after"),
  ((await response.json()) as { detail: string }).detail,
];
const refused = [503, "60", "There is no space left for uploads."];

test("an upload that would leave less than DISK_RESERVE is 503 before its body is read; /readyz warns", async () => {
  const url = await signedUrl();
  await underDiskSpace(low, async (set) => {
    const client = http.request(url, { method: "PUT", headers: { "content-length": size } });
    client.flushHeaders();
    const [response] = (await once(client, "response")) as [http.IncomingMessage];
    expect([response.statusCode, response.headers["retry-after"]]).toEqual([503, "60"]);
    client.destroy();
    await lookAtStorage();
    expect(await readiness()).toMatchObject({ ready: true, warnings: { disk: "low" } });

    set({ free: 2e9 + size - 1, size: disk });
    expect(await summarize(await put(url))).toEqual(refused);
    set({ free: 2e9 + size, size: disk });
    await lookAtStorage();
    expect((await readiness()).warnings).not.toHaveProperty("disk");
    expect((await put(url)).status).toBe(200);
  });
});

test("DISK_RESERVE may be a part of the disk", async () => {
  const url = await signedUrl();
  await underSettings({ DISK_RESERVE: { fraction: 0.1 } }, () =>
    underDiskSpace({ free: 9e9, size: disk }, async (set) => {
      expect(await summarize(await put(url))).toEqual(refused);
      set({ free: 11e9, size: disk });
      expect((await put(url)).status).toBe(200);
    }),
  );
});

test("an upload during which the space runs out is 503, and continues from its received bytes later", async () => {
  const url = await signedUrl();
  const bytes = randomBytes(size);
  await underDiskSpace(plenty, async (set) => {
    const client = http.request(url, { method: "PUT", headers: { "content-length": size } });
    client.on("error", () => {});
    client.write(bytes.subarray(0, 1_000_000));
    await expect.poll(() => diskStore().receivedBytes(readKey(url))).toBeGreaterThanOrEqual(1_000_000);
    set(low);
    const responded = once(client, "response") as Promise<[http.IncomingMessage]>;
    client.write(bytes.subarray(1_000_000, 2_000_000));
    const [response] = await responded;
    expect(response.statusCode).toBe(503);
    client.destroy();
    set(plenty);
    const received = await diskStore().receivedBytes(readKey(url));
    expect(received).toBeGreaterThanOrEqual(1_000_000);
    const range = { "content-range": `bytes ${received}-${size - 1}/${size}` };
    expect((await put(url, bytes.subarray(received), range)).status).toBe(200);
  });
});

test("an upload that the server cannot write is 503, not the sender's fault", async () => {
  const url = await signedUrl();
  const folder = path.dirname(path.join(env.DATA_DIR, "files", readKey(url)));
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  fs.writeFileSync(folder, "in the way");
  expect(await summarize(await put(url))).toEqual([503, "60", "The upload could not be stored. Try again later."]);
  fs.rmSync(folder);
  expect((await put(url)).status).toBe(200);
});

test("where no file can be written, the process is ready, says so, and refuses uploads", async () => {
  const url = await signedUrl();
  const folder = fs.mkdtempSync(path.join(env.DATA_DIR, "unwritable-"));
  fs.writeFileSync(path.join(folder, "files"), "not a folder");
  await underSettings({ DATA_DIR: folder }, lookAtStorage);
  const { status, body } = await answerProbe({ method: "GET", path: "/readyz", authorization: undefined });
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ status: "ready", disk: "full" });
  expect((await readMetrics()).text).toContain("muster_storage_unwritable 1");

  const place = path.join(env.DATA_DIR, "files");
  const aside = path.join(env.DATA_DIR, "files-aside");
  fs.mkdirSync(place, { recursive: true });
  fs.renameSync(place, aside);
  fs.writeFileSync(place, "not a folder");
  expect((await put(url)).status).toBe(503);
  fs.rmSync(place);
  fs.renameSync(aside, place);

  await lookAtStorage();
  expect((await readiness()).warnings).not.toHaveProperty("disk");
  expect((await put(url)).status).toBe(200);
});

test("a disk that does not respond delays no probe, and counts as full at the next look", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const hung = { read: () => new Promise<never>(() => {}) };
  const before = { ...diskSpaceReader };
  Object.assign(diskSpaceReader, hung);
  const stop = watchStorage();
  try {
    expect(await readiness()).toMatchObject({ ready: true, warnings: {} });
    vi.advanceTimersByTime(10_000);
    expect(await readiness()).toMatchObject({ ready: true, warnings: { disk: "full" } });
  } finally {
    stop();
    Object.assign(diskSpaceReader, before);
    vi.useRealTimers();
  }
});
