import { randomBytes } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import pg from "pg";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { SignedUrls, UploadSessionResource } from "@/server/features/uploads/resource";
import { sign } from "@/server/platform/crypto";
import { pool } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { DiskStore } from "@/server/platform/storage/disk";
import { downloadLink, uploadLink } from "@/server/platform/storage/links";
import { diskStore } from "@/server/platform/storage/own";
import { request } from "@/server/testing/requests";
import { computeEtag } from "@/server/testing/stored-files";
import { openUploadSite } from "@/server/testing/uploads";

const { org, deviceId, token, server } = await openUploadSite();
afterAll(() => server.close());

interface Upload {
  recording: string;
  session: string;
  urls: Map<string, string>;
}
/** Creates a recording with an upload session for these files. */
async function begin(
  files: Record<string, number>,
  as: { key?: string; token?: string } = { key: org.key },
): Promise<Upload> {
  const created = await request("POST", "/fleet/recordings/", { ...as, body: as.token ? {} : { device_id: deviceId } });
  const recording = created.body.uid;
  const list = Object.entries(files).map(([name, size_bytes]) => ({ path: name, size_bytes }));
  const at = `/fleet/recordings/${recording}/upload`;
  const init = await request<UploadSessionResource>("POST", `${at}/init/`, { ...as, body: { files: list } });
  const body = { session_uid: init.body.uid, file_paths: Object.keys(files) };
  const signed = await request<SignedUrls>("POST", `${at}/urls/`, { ...as, body });
  const urls = new Map(signed.body.urls.map((entry) => [entry.path, server.here(entry.put_url)]));
  return { recording, session: init.body.uid, urls };
}
const one = async (size: number, as?: { key?: string; token?: string }) => {
  const upload = await begin({ "a.mcap": size }, as);
  return { ...upload, url: upload.urls.get("a.mcap") ?? "" };
};
const put = (url: string, body: Uint8Array | null, headers: Record<string, string> = {}) =>
  fetch(url, { method: "PUT", body: body as BodyInit | null, headers, redirect: "manual" });
const probe = (url: string, size: number) => put(url, null, { "content-range": `bytes */${size}` });
const readKey = (url: string) => new URL(url).pathname.replace("/files/upload/", "");

/** Sends part of a body and then closes the connection. */
async function breakOff(
  url: string,
  size: number,
  bytes: Uint8Array,
  headers: Record<string, string> = {},
): Promise<void> {
  const client = http.request(url, { method: "PUT", headers: { "content-length": size, ...headers } });
  client.on("error", () => {});
  client.write(bytes);
  const received = headers["content-range"]
    ? Number(/bytes (\d+)/.exec(headers["content-range"])?.[1]) + bytes.length
    : bytes.length;
  await vi.waitFor(async () => expect(await diskStore().receivedBytes(readKey(url))).toBe(received), {
    timeout: 60_000,
    interval: 20,
  });
  client.destroy();
}

describe("uploading", () => {
  test("the bytes of a PUT are stored as sent, and the response has their MD5 as entity tag", async () => {
    const bytes = randomBytes(300_000);
    const { url } = await one(bytes.length);
    const response = await put(url, bytes);
    expect([response.status, response.headers.get("etag")]).toEqual([200, computeEtag(bytes)]);
    expect(await response.json()).toEqual({ etag: computeEtag(bytes), size_bytes: bytes.length });
    expect(Buffer.from(await diskStore().readBytes(readKey(url), 0, bytes.length)).equals(bytes)).toBe(true);
    expect(await diskStore().receivedBytes(readKey(url))).toBe(0);
  });

  test("an empty file can be uploaded", async () => {
    const { url } = await one(0);
    expect((await probe(url, 0)).status).toBe(308);
    expect((await put(url, new Uint8Array())).headers.get("etag")).toBe(computeEtag(new Uint8Array()));
  });

  test("an interrupted upload can be resumed", async () => {
    const bytes = randomBytes(500_000);
    const { url } = await one(bytes.length);
    await breakOff(url, bytes.length, bytes.subarray(0, 200_000));
    const state = await probe(url, bytes.length);
    expect([state.status, state.headers.get("range")]).toEqual([308, "bytes=0-199999"]);
    await breakOff(url, 300_000, bytes.subarray(200_000, 350_000), { "content-range": "bytes 200000-499999/500000" });
    const rest = await put(url, bytes.subarray(350_000), { "content-range": "bytes 350000-499999/500000" });
    expect([rest.status, rest.headers.get("etag")]).toEqual([200, computeEtag(bytes)]);
    expect((await probe(url, bytes.length)).headers.get("etag")).toBe(computeEtag(bytes));
  });

  test("an upload is as old as its request, however long it was checked before", async () => {
    const { url } = await one(10);
    const receive = vi.spyOn(diskStore(), "receive");
    const client = new pg.Client({ connectionString: env.DATABASE_URL });
    await client.connect();
    try {
      await client.query("begin");
      await client.query("lock table stored_files in access exclusive mode");
      const sent = put(url, randomBytes(10));
      const waits = `select 1 from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%stored_files%'`;
      await vi.waitFor(async () => expect((await pool.query(waits)).rowCount).toBe(1), { timeout: 60_000 });
      const checked = performance.now();
      await client.query("rollback");
      expect((await sent).status).toBe(200);
      expect(receive.mock.lastCall?.[1].arrivedAt).toBeLessThan(checked);
    } finally {
      await client.end();
      receive.mockRestore();
    }
  });

  test("a file with parts written by another process gets the tag of all bytes", async () => {
    const bytes = randomBytes(100_000);
    const { url } = await one(bytes.length);
    expect((await put(url, bytes.subarray(0, 60_000), { "content-range": "bytes 0-59999/100000" })).status).toBe(308);
    const other = new DiskStore(path.join(env.DATA_DIR, "files"));
    const body = new Blob([bytes.subarray(60_000, 80_000)]).stream();
    const part = { start: 60_000, end: 80_000, sizeBytes: 100_000, body };
    expect((await other.receive(readKey(url), part, () => Promise.resolve())).received).toBe(80_000);
    const rest = await put(url, bytes.subarray(80_000), { "content-range": "bytes 80000-99999/100000" });
    expect(rest.headers.get("etag")).toBe(computeEtag(bytes));
  });

  test.each([
    { version: "this version", name: ".versions/00000001-0a1b2c3d" },
    { version: "an older one", name: ".part" },
  ])("a complete upload to $version that was not published is finished by the next probe", async ({ name }) => {
    const bytes = randomBytes(1_000);
    const { url } = await one(bytes.length);
    const part = path.join(env.DATA_DIR, "files", `${readKey(url)}${name}`);
    fs.mkdirSync(path.dirname(part), { recursive: true });
    fs.writeFileSync(part, bytes);
    const response = await probe(url, bytes.length);
    expect([response.status, response.headers.get("etag")]).toEqual([200, computeEtag(bytes)]);
  });

  test("parts may be sent again, and a part beyond the received bytes is refused with their range", async () => {
    const bytes = randomBytes(1_000);
    const { url } = await one(bytes.length);
    await put(url, bytes.subarray(0, 400), { "content-range": "bytes 0-399/1000" });
    const ahead = await put(url, bytes.subarray(500), { "content-range": "bytes 500-999/1000" });
    expect([ahead.status, ahead.headers.get("range")]).toEqual([308, "bytes=0-399"]);
    const again = await put(url, bytes.subarray(300), { "content-range": "bytes 300-999/1000" });
    expect([again.status, again.headers.get("etag")]).toEqual([200, computeEtag(bytes)]);
  });

  test("a newer upload of the same file takes over from one that hangs", async () => {
    const bytes = randomBytes(100_000);
    const { url } = await one(bytes.length);
    const hanging = http.request(url, { method: "PUT", headers: { "content-length": bytes.length } });
    const ended = new Promise((resolve) => hanging.on("close", resolve));
    hanging.on("error", () => {});
    hanging.write(bytes.subarray(0, 50_000));
    await vi.waitFor(async () => expect(await diskStore().receivedBytes(readKey(url))).toBe(50_000), {
      timeout: 60_000,
      interval: 20,
    });
    const response = await put(url, bytes);
    expect(response.headers.get("etag")).toBe(computeEtag(bytes));
    await ended;
    expect((await probe(url, bytes.length)).headers.get("etag")).toBe(computeEtag(bytes));
  });

  test("a body that is longer or shorter than declared is refused and not visible", async () => {
    const { url } = await one(1_000);
    expect((await put(url, randomBytes(1_001))).status).toBe(413);
    expect((await put(url, randomBytes(999))).status).toBe(400);
    const chunked = (count: number) =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          if (count-- > 0) controller.enqueue(randomBytes(100));
          else controller.close();
        },
      });
    const stream = (count: number) =>
      fetch(url, { method: "PUT", body: chunked(count), duplex: "half" } as RequestInit);
    const long = await stream(50).then(
      (response) => response.status,
      () => "broken",
    );
    expect([413, "broken"]).toContain(long);
    expect((await stream(5)).status).toBe(400);
    expect(await diskStore().head(readKey(url))).toBeNull();
  });

  test("a Content-Range that does not fit the declared size is refused", async () => {
    const { url } = await one(1_000);
    const ranges = [
      "bytes 0-9/99",
      "bytes 5-4/1000",
      "bytes 0-1000/1000",
      "bytes */999",
      "items 0-9/1000",
      "bytes 0-9/*",
    ];
    for (const range of ranges) expect((await put(url, randomBytes(10), { "content-range": range })).status).toBe(400);
  });

  test("a compressed body is refused", async () => {
    const { url } = await one(10);
    expect((await put(url, randomBytes(10), { "content-encoding": "gzip" })).status).toBe(415);
  });

  test("confirmed bytes cannot be replaced", async () => {
    const bytes = randomBytes(1_000);
    const upload = await one(bytes.length);
    await put(upload.url, bytes);
    const files = [{ path: "a.mcap", etag: computeEtag(bytes), size_bytes: bytes.length }];
    const body = { session_uid: upload.session, files };
    expect(
      (await request("POST", `/fleet/recordings/${upload.recording}/upload/confirm/`, { key: org.key, body })).status,
    ).toBe(200);
    expect((await put(upload.url, randomBytes(1_000))).status).toBe(409);
    expect((await diskStore().head(readKey(upload.url)))?.etag).toBe(computeEtag(bytes));
    expect((await probe(upload.url, bytes.length)).status).toBe(200);
  });

  test("the bytes of a recording that was deleted during the upload are removed", async () => {
    const bytes = randomBytes(100_000);
    const { url, recording } = await one(bytes.length);
    const client = http.request(url, { method: "PUT", headers: { "content-length": bytes.length } });
    const responded = new Promise<number | undefined>((resolve) =>
      client.on("response", (response) => resolve(response.statusCode)),
    );
    client.write(bytes.subarray(0, 50_000));
    await vi.waitFor(async () => expect(await diskStore().receivedBytes(readKey(url))).toBe(50_000), {
      timeout: 60_000,
      interval: 20,
    });
    await request("DELETE", `/fleet/recordings/${recording}/`, { key: org.key });
    client.end(bytes.subarray(50_000));
    expect(await responded).toBe(404);
    expect(await diskStore().receivedBytes(readKey(url))).toBe(0);
    expect(await diskStore().head(readKey(url))).toBeNull();
    expect((await put(url, bytes)).status).toBe(404);
  });

  test.each([{ as: "a user" }, { as: "a device" }])(
    "the eleventh upload at once of $as is refused with Retry-After",
    async ({ as }) => {
      const files = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`${i}.mcap`, 1_000]));
      const { urls } = await begin(files, as === "a user" ? { key: org.key } : { token });
      const all = [...urls.values()];
      const clients = all.slice(0, 10).map((url) => {
        const client = http.request(url, { method: "PUT", headers: { "content-length": 1_000 } });
        client.on("error", () => {});
        client.write(randomBytes(10));
        return client;
      });
      for (const url of all.slice(0, 10)) {
        await vi.waitFor(async () => expect(await diskStore().receivedBytes(readKey(url))).toBe(10), {
          timeout: 60_000,
          interval: 20,
        });
      }
      const eleventh = await put(all[10] ?? "", randomBytes(1_000));
      expect([eleventh.status, eleventh.headers.get("retry-after")]).toEqual([429, "2"]);
      for (const client of clients) client.destroy();
      await vi.waitFor(async () => expect((await put(all[10] ?? "", randomBytes(1_000))).status).toBe(200), {
        timeout: 60_000,
        interval: 50,
      });
    },
  );
});

describe("links", () => {
  const target = { key: "recordings/x/y/z", sizeBytes: 10, account: "user:x", ttlSeconds: 60 };

  test("an upload link with any part changed is invalid", async () => {
    const { url } = await one(10);
    for (const change of [
      (link: URL) => link.searchParams.set("size", "11"),
      (link: URL) => link.searchParams.set("account", "user:someone"),
      (link: URL) => link.searchParams.set("expires", "99999999999"),
      (link: URL) => link.searchParams.set("signature", "x"),
      (link: URL) => link.searchParams.delete("signature"),
      (link: URL) => (link.pathname = link.pathname.slice(0, -1)),
    ]) {
      const link = new URL(url);
      change(link);
      expect((await put(link.href, randomBytes(10))).status).toBe(403);
    }
  });

  test("links expire", async () => {
    const { url } = await one(10);
    const key = readKey(url);
    const expired = server.here(uploadLink({ ...target, key, ttlSeconds: -1 }));
    expect((await put(expired, randomBytes(10))).status).toBe(403);
    await put(url, randomBytes(10));
    expect((await fetch(server.here(downloadLink({ key, fileName: "x", by: null, ttlSeconds: -1 })))).status).toBe(404);
    expect((await fetch(server.here(downloadLink({ key, fileName: "x", by: null, ttlSeconds: 60 })))).status).toBe(200);
  });

  test("an upload link does not download, and a download link does not upload", async () => {
    const { url } = await one(10);
    await put(url, randomBytes(10));
    expect((await fetch(url.replace("/files/upload/", "/files/"))).status).toBe(404);
    const down = new URL(server.here(downloadLink({ key: readKey(url), fileName: "x", by: null, ttlSeconds: 60 })));
    down.pathname = down.pathname.replace("/files/", "/files/upload/");
    expect((await put(down.href, randomBytes(10))).status).toBe(403);
  });

  test.each(["../../etc/passwd", "a/../b", "A", "a//b", ".part", "a.part", "a/", "%2e%2e/x"])(
    "the key %s is refused even with a valid signature",
    async (key) => {
      const signature = sign("download", JSON.stringify([key, "x", 9_999_999_999]));
      const url = `${server.url}/files/${key}?name=x&expires=9999999999&signature=${signature}`;
      expect((await fetch(url)).status).toBe(404);
      await expect(diskStore().readBytes(key, 0, 1)).rejects.toThrow("not a storage key");
    },
  );

  test.each(["POST", "DELETE", "PATCH", "OPTIONS"])("%s is refused with the allowed methods", async (method) => {
    const { url } = await one(10);
    const response = await fetch(url, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "PUT"]);
    const down = await fetch(`${server.url}/files/recordings/x`, { method });
    expect([down.status, down.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

test("a store's put refuses a stream that does not have the declared length", async () => {
  const stream = (bytes: Uint8Array) => new Blob([bytes as BlobPart]).stream() as ReadableStream<Uint8Array>;
  const store = diskStore();
  await expect(store.put("tests/short", stream(randomBytes(5)), 6)).rejects.toThrow("short");
  await expect(store.put("tests/long", stream(randomBytes(7)), 6)).rejects.toThrow("long");
  expect([await store.head("tests/short"), await store.head("tests/long")]).toEqual([null, null]);
  expect((await store.put("tests/fit", stream(randomBytes(6)), 6)).sizeBytes).toBe(6);
  await store.deletePrefix("tests/");
  expect(await store.head("tests/fit")).toBeNull();
  await expect(store.deletePrefix("../")).rejects.toThrow("not a storage prefix");
});
