import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { StorageConfigResource, Verification } from "@/server/features/storage-configs/resource";
import { env } from "@/server/platform/env";
import { configureEgress } from "@/server/platform/http-client/settings";
import { processWide } from "@/server/platform/process-wide";
import { GcsStore } from "@/server/platform/storage/gcs";
import { readServiceAccount } from "@/server/platform/storage/gcs-client";
import { keptInABucket } from "@/server/testing/bucket-contents";
import { objectsInABucket, readBytes, toStream, type BucketPlace } from "@/server/testing/bucket-scenarios";
import { makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { startGcsServer, type Fault, type GcsServer } from "@/server/testing/gcs-server";
import { request } from "@/server/testing/requests";

/**
 * Customers' buckets of Google Cloud Storage, against a server that verifies tokens, signatures, ranges and sizes:
 * objects, signed URLs, and recordings, datasets and exports that are stored in one.
 */
const settings = processWide<{ GCS_ENDPOINT?: string | undefined }>("env", () => ({}));
const before = env.GCS_ENDPOINT;
let gcs: GcsServer;
let org: TestOrganization;
let restore = () => {};
beforeAll(async () => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
  [gcs, org] = await Promise.all([startGcsServer(), makeOrganization()]);
});
// Other test files run in the same process.
beforeEach(() => void (settings.GCS_ENDPOINT = gcs.url));
afterEach(() => {
  settings.GCS_ENDPOINT = before;
  vi.useRealTimers();
});
afterAll(async () => {
  restore();
  await gcs.close();
});

const openBucket = (keyFile: string, more: { bucket?: string; prefix?: string | null } = {}) => {
  const account = readServiceAccount(keyFile);
  if (!account) throw new Error("no account");
  return new GcsStore({ bucket: gcs.bucket, prefix: "muster", account, ...more });
};
const newStore = () => openBucket(gcs.keyFile);
const names = (prefix: string) => Promise.resolve([...gcs.objects.keys()].filter((name) => name.startsWith(prefix)));
const place = (): BucketPlace => ({
  org,
  address: `${gcs.url}/${gcs.bucket}`,
  endpoint: gcs.url,
  store: newStore(),
  etagOfParts: /^"[0-9a-f]{32}"$/,
  fields: {
    provider: "gc_storage",
    gc_storage_bucket_name: gcs.bucket,
    gc_storage_prefix: "ours/",
    gc_storage_auth_json_content: gcs.keyFile,
  },
  names,
});
const mebibyte = 1024 ** 2;
/** Requests since a position, without those for tokens. */
const since = (mark: number) => gcs.asked.slice(mark).filter((line) => line !== "POST /token");
const isPart =
  (range: RegExp) =>
  ({ headers }: IncomingMessage) =>
    range.test(headers["content-range"] ?? "");

describe("an object in a bucket of Google Cloud Storage", () => {
  objectsInABucket(place);

  test("may be empty, and may have a name that must be escaped", async () => {
    const store = openBucket(gcs.keyFile, { prefix: "/ours & theirs/(1)*'ü~+%2F/" });
    const stored = await store.put("a/empty", toStream(Buffer.alloc(0)), 0);
    expect([stored.sizeBytes, await store.head("a/empty")]).toEqual([0, stored]);
    expect((await readBytes(await store.read("a/empty"))).length).toBe(0);
    expect((await store.readBytes("a/empty", 0, 5)).length).toBe(0);
    expect([...gcs.objects.keys()]).toContain("ours & theirs/(1)*'ü~+%2F/a/empty");
    const { url, headers } = await store.uploadUrl({ key: "a/b", sizeBytes: 2, account: "user:x", ttlSeconds: 60 });
    expect((await fetch(url, { method: "PUT", body: "hi", headers })).status).toBe(200);
    expect(
      await (await fetch(await store.downloadUrl({ key: "a/b", fileName: "b", by: null, ttlSeconds: 60 }))).text(),
    ).toBe("hi");
    await store.deletePrefix("a/");
    expect(await names("ours & theirs/")).toEqual([]);
  });

  test("is uploaded in parts of 8 MiB, of which the last one completes it", async () => {
    const mark = gcs.asked.length;
    const ranges: string[] = [];
    const watch = ({ headers }: IncomingMessage) => {
      if (headers["content-range"]) ranges.push(headers["content-range"]);
      return false;
    };
    gcs.fault(watch, {});
    const size = 16 * mebibyte;
    await newStore().put("parts/two", toStream(Buffer.alloc(size)), size);
    expect(ranges).toEqual([`bytes 0-${8 * mebibyte - 1}/${size}`, `bytes ${8 * mebibyte}-${size - 1}/${size}`]);
    expect(since(mark).map((line) => line.split(" ")[0])).toEqual(["POST", "PUT", "PUT", "HEAD"]);
  });

  test.each([
    ["a 503 that stored nothing", { status: 503 }],
    ["a 503 that stored some of the part", { status: 503, keep: mebibyte }],
    ["a 503 that stored all of the part", { status: 503, keep: 8 * mebibyte }],
    ["a broken connection", { broken: true }],
    ["a broken connection that stored some of the part", { broken: true, keep: mebibyte }],
    ["a response that less was stored than sent", { keep: mebibyte }],
    ["a response without the number of stored bytes", { silent: true, keep: mebibyte }],
    ["a 429", { status: 429 }],
  ] as [string, Fault][])("is uploaded correctly despite %s", async (_, fault) => {
    const store = newStore();
    const size = 17 * mebibyte;
    const bytes = randomBytes(size);
    const hits = [/^bytes 8388608-/, /^bytes 16777216-/].map((range) => gcs.fault(isPart(range), fault));
    const key = `exports/o/${unique()}`;
    const stored = await store.put(key, toStream(bytes), size);
    expect([stored.sizeBytes, ...hits.map((isHit) => isHit())]).toEqual([size, true, true]);
    expect(gcs.objects.get(`muster/${key}`)?.bytes.equals(bytes)).toBe(true);
    expect(gcs.openUploads()).toBe(0);
  });

  test("is not stored, and its upload cancelled, when the store accepts no more or the stream fails", async () => {
    const store = newStore();
    for (let time = 0; time < 3; time++) gcs.fault(isPart(/^bytes 0-/), { status: 500 });
    await expect(store.put("given/up", toStream(Buffer.alloc(9 * mebibyte)), 9 * mebibyte)).rejects.toThrow(
      "it takes no more bytes",
    );
    let pulled = 0;
    const failing = new ReadableStream<Uint8Array>({
      pull: (controller) =>
        ++pulled > 10 ? controller.error(new Error("the disk broke")) : controller.enqueue(Buffer.alloc(mebibyte)),
    });
    await expect(store.put("given/up", failing, 20 * mebibyte)).rejects.toThrow("the disk broke");
    expect([await store.head("given/up"), gcs.openUploads()]).toEqual([null, 0]);
  });

  test("is requested up to three times while the store is busy", async () => {
    const store = newStore();
    await store.put("busy/a", toStream(Buffer.from("x")), 1);
    const busy = (times: number, fault: object) => {
      for (let time = 0; time < times; time++)
        gcs.fault(({ method, url }) => method === "GET" && url === "/fleet/muster/busy/a", fault);
    };
    busy(2, { status: 503 });
    expect((await readBytes(await store.read("busy/a"))).toString()).toBe("x");
    busy(2, { broken: true });
    expect((await readBytes(await store.read("busy/a"))).toString()).toBe("x");
    busy(3, { status: 503 });
    await expect(store.read("busy/a")).rejects.toThrow("could not be used: Backend Error (503).");
    const isHit = gcs.fault(({ method }) => method === "POST", { status: 503 });
    await store.put("busy/a", toStream(Buffer.from("y")), 1);
    expect(isHit()).toBe(true);
    expect((await readBytes(await store.read("busy/a"))).toString()).toBe("y");
  });

  test("is deleted with its prefix, from all pages of the listing", async () => {
    const store = newStore();
    for (let at = 0; at < 7; at++) await store.put(`pages/${at}`, toStream(Buffer.from("x")), 1);
    await store.put("pagesbeside", toStream(Buffer.from("x")), 1);
    await store.deletePrefix("pages/");
    expect(await names("muster/pages")).toEqual(["muster/pagesbeside"]);
  });
});

describe("a signed URL of Google Cloud Storage", () => {
  const upload = (store: GcsStore, sizeBytes = 5, ttlSeconds = 600) =>
    store.uploadUrl({ key: "signed/f", sizeBytes, account: "user:x", ttlSeconds });
  const put = async (url: string, headers: Record<string, string>, body = "hello") => {
    const response = await fetch(url, { method: "PUT", body, headers });
    return [response.status, /<Code>(\w+)/.exec(await response.text())?.[1]];
  };

  test("accepts exactly the declared size and content type", async () => {
    const { url, headers } = await upload(newStore());
    expect(headers).toEqual({ "content-type": "application/octet-stream", "x-goog-content-length-range": "5,5" });
    expect(await put(url, headers, "hell")).toEqual([400, "EntityTooSmall"]);
    expect(await put(url, headers, "hello!")).toEqual([400, "EntityTooLarge"]);
    expect(await put(url, { ...headers, "x-goog-content-length-range": "0,6" }, "hello!")).toEqual([
      403,
      "SignatureDoesNotMatch",
    ]);
    expect(await put(url, { ...headers, "content-type": "text/html" })).toEqual([403, "SignatureDoesNotMatch"]);
    expect(await put(url, { "content-type": "application/octet-stream" })).toEqual([400, "MalformedSecurityHeader"]);
    expect(await put(url, { ...headers, "x-goog-acl": "public-read" })).toEqual([400, "MalformedSecurityHeader"]);
    expect(await newStore().head("signed/f")).toBeNull();
    expect(await put(url, headers)).toEqual([200, undefined]);
  });

  test("is valid for one method, one object, its parameters and its lifetime", async () => {
    const start = Date.UTC(2030, 0, 1);
    vi.useFakeTimers({ toFake: ["Date"], now: start });
    const store = newStore();
    await store.put("signed/g", toStream(Buffer.from("hello")), 5);
    const url = await store.downloadUrl({ key: "signed/g", fileName: "g.mcap", by: null, ttlSeconds: 60 });
    const get = async (address: string, method = "GET") => {
      const response = await fetch(address, { method });
      return [response.status, /<Code>(\w+)/.exec(await response.text())?.[1]];
    };
    expect(await get(url, "DELETE")).toEqual([403, "SignatureDoesNotMatch"]);
    for (const [part, other] of [
      ["signed/g", "signed/h"],
      ["g.mcap", "g.html"],
      ["octet-stream", "xhtml%2Bxml"],
      ["Expires=60", "Expires=61"],
    ] as const) {
      expect(await get(url.replace(part, other))).toEqual([403, "SignatureDoesNotMatch"]);
    }
    vi.setSystemTime(start + 60_000);
    expect(await get(url)).toEqual([200, undefined]);
    vi.setSystemTime(start + 61_000);
    expect(await get(url)).toEqual([400, "ExpiredToken"]);
  });

  test("is valid for a week at most", async () => {
    const { url } = await upload(newStore(), 5, 1e9);
    expect(new URL(url).searchParams.get("X-Goog-Expires")).toBe("604800");
  });
});

describe("the account of a bucket of Google Cloud Storage", () => {
  test("uses one token for concurrent requests, and another when that is revoked or about to expire", async () => {
    const store = newStore();
    const before = gcs.tokens();
    await Promise.all(Array.from({ length: 5 }, () => store.head("nothing/here")));
    expect(gcs.tokens()).toBe(before + 1);
    gcs.revokeTokens();
    expect(await store.head("nothing/here")).toBeNull();
    expect(gcs.tokens()).toBe(before + 2);
    const started = performance.now();
    const clock = vi.spyOn(performance, "now");
    clock.mockReturnValue(started + 3_500_000);
    await store.head("nothing/here");
    expect(gcs.tokens()).toBe(before + 2);
    clock.mockReturnValue(started + 3_560_000);
    await store.head("nothing/here");
    clock.mockRestore();
    expect(gcs.tokens()).toBe(before + 3);
  });

  test("is refused with the bucket's name for an invalid key, a missing bucket and a server that is down", async () => {
    const other = await startGcsServer();
    await other.close();
    const broken = JSON.stringify({
      ...(JSON.parse(gcs.keyFile) as object),
      private_key: "-----BEGIN PRIVATE KEY-----\nno\n-----END PRIVATE KEY-----\n",
    });
    for (const [store, reason] of [
      [openBucket(other.keyFile), /^The bucket "fleet" could not be used: Google does not accept this key\.$/],
      [openBucket(broken), /^The bucket "fleet" could not be used: The private key cannot be read\.$/],
      [
        openBucket(gcs.keyFile, { bucket: "elsewhere" }),
        /^The bucket "elsewhere" could not be used: (NoSuchBucket|The specified bucket does not exist) \(404\)\.$/,
      ],
    ] as const) {
      const refusal = {
        code: "invalid",
        options: { issues: [{ path: ["storage_config_uid"], message: expect.stringMatching(reason) }] },
      };
      await expect(store.put("a/b", toStream(Buffer.from("x")), 1)).rejects.toMatchObject(refusal);
      await expect(store.read("a/b")).rejects.toMatchObject(refusal);
      await expect(store.head("a/b")).rejects.toMatchObject(refusal);
      await expect(store.delete("a/b")).rejects.toMatchObject(refusal);
      await expect(store.deletePrefix("a/")).rejects.toMatchObject(refusal);
    }
    await expect(
      openBucket(broken).downloadUrl({ key: "a/b", fileName: "b", by: null, ttlSeconds: 60 }),
    ).rejects.toThrow("The private key cannot be read");
    settings.GCS_ENDPOINT = other.url;
    await expect(newStore().head("a/b")).rejects.toThrow("connection failed");
  });

  test("fails the test of its storage configuration after its key was deleted", async () => {
    const key = { key: org.key };
    const { fields } = place();
    const made = await request<StorageConfigResource>("POST", "/storage-configs/", {
      ...key,
      body: { name: unique("bucket"), ...fields },
    });
    expect(made.status).toBe(201);
    const again = async () =>
      (await request<Verification>("POST", `/storage-configs/${made.body.uid}/test/`, key)).body;
    gcs.knowKey(false);
    const message = "Google does not accept this key.";
    const refused = await again();
    expect(refused).toMatchObject({ verified: false, errors: { gc_storage_auth_json_content: [message] } });
    expect(refused.checks.map(({ ok }) => ok)).toEqual([false, null, null, null, null, null]);
    expect(refused.checks[0]).toMatchObject({ name: "reach", field: "gc_storage_auth_json_content", message });
    gcs.knowKey(true);
    const accepted = await again();
    expect(accepted.verified).toBe(true);
    expect(accepted.checks.map(({ ok }) => ok)).toEqual(refused.checks.map(() => true));
  });
});

describe("in a customer's bucket of Google Cloud Storage", () => keptInABucket(place));
