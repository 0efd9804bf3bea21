import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasS3Server, howToInstall, startS3Server, type S3Server } from "@/scripts/s3-server.mjs";
import { isServiceError } from "@/server/platform/errors";
import { OwnS3Store, type OwnBucket } from "@/server/platform/storage/own-s3";
import type { Publish } from "@/server/platform/storage/own-store";
import { UploadInterrupted, UploadRefused } from "@/server/platform/storage/partial-uploads";
import { s3Client } from "@/server/platform/storage/s3-client";
import { objectsInABucket, readBytes, toStream } from "@/server/testing/bucket-scenarios";
import { unique, type TestOrganization } from "@/server/testing/factories";

/** The installation's own store in a bucket of a real S3 server, which the guard against private addresses would refuse. */
const hasServer = hasS3Server();
if (!hasServer) process.stdout.write(`skipped: the installation's own store in a bucket; ${howToInstall}\n`);

const bucket = unique("installation");
const step = 8 * 1024 ** 2;
const [size, small] = [2 * step + 1_000, 1_000];
let s3: S3Server;

const target = (more: Partial<OwnBucket> = {}): OwnBucket => ({
  bucket,
  region: s3.region,
  prefix: "muster",
  endpointUrl: s3.endpoint,
  publicEndpointUrl: null,
  accelerated: false,
  keys: { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey },
  trusted: true,
  ...more,
});
const newKey = () => `recordings/o/${unique()}/f`;
const admitted = (publish: Publish) => publish();

beforeAll(async () => {
  if (!hasServer) return;
  s3 = await startS3Server();
  const { CreateBucketCommand } = await import("@aws-sdk/client-s3");
  await (await s3Client(target())).send(new CreateBucketCommand({ Bucket: bucket }));
}, 120_000);
afterAll(async () => {
  if (hasServer) await s3.close();
});

const collect = async (listed: AsyncIterable<{ key: string }>): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of listed) keys.push(key);
  return keys;
};
const send = (store: OwnS3Store, key: string, bytes: Buffer, start: number, end: number, whole = bytes.length) =>
  store.receive(key, { start, end, sizeBytes: whole, body: toStream(bytes.subarray(start, end)) }, admitted);

/** A body that fails after its bytes, as a broken connection does. */
const broken = (bytes: Buffer): ReadableStream<Uint8Array> => {
  const chunks = [bytes];
  return new ReadableStream({
    pull(controller) {
      const next = chunks.shift();
      if (next) controller.enqueue(next);
      else controller.error(new Error("the connection broke"));
    },
  });
};

describe.skipIf(!hasServer)("an object in the installation's bucket", () => {
  objectsInABucket(() => ({
    org: null as unknown as TestOrganization,
    address: `${s3.endpoint}/${bucket}`,
    endpoint: s3.endpoint,
    store: new OwnS3Store(target()),
    etagOfParts: /-3"$/,
    fields: {},
    names: () => Promise.resolve([]),
  }));
});

describe.skipIf(!hasServer)("an upload through our own server to the installation's bucket", () => {
  test.each([
    ["of one part", small],
    ["of several parts", size],
  ])("%s is visible only once it was admitted, with the bytes as sent", async (_title, length) => {
    const store = new OwnS3Store(target());
    const [key, bytes] = [newKey(), randomBytes(length)];
    let seen: unknown = "nothing";
    const part = { start: 0, end: length, sizeBytes: length, body: toStream(bytes) };
    const { received, etag } = await store.receive(key, part, async (publish) => {
      seen = await store.head(key);
      await publish();
    });
    expect([received, seen]).toEqual([length, null]);
    expect(await store.head(key)).toMatchObject({ sizeBytes: length, etag });
    expect((await readBytes(await store.read(key))).equals(bytes)).toBe(true);
    expect(await store.receivedBytes(key, length)).toBe(0);
  });

  test("that is refused leaves nothing", async () => {
    const store = new OwnS3Store(target());
    const [key, bytes] = [newKey(), randomBytes(size)];
    const part = { start: 0, end: size, sizeBytes: size, body: toStream(bytes) };
    expect(await store.receive(key, part, () => Promise.resolve())).toEqual({ received: size, etag: null });
    expect([await store.head(key), await store.receivedBytes(key, size)]).toEqual([null, 0]);
  });

  test("is resumed by another process at any byte after its last complete part", async () => {
    const [key, bytes] = [newKey(), randomBytes(size)];
    const cut = step + 123_456;
    const body = broken(bytes.subarray(0, cut));
    const first = new OwnS3Store(target()).receive(key, { start: 0, end: size, sizeBytes: size, body }, admitted);
    await expect(first).rejects.toThrow(UploadInterrupted);
    const other = new OwnS3Store(target());
    expect(await other.receivedBytes(key, size)).toBe(cut);
    expect(await send(other, key, bytes, cut - 5, cut + 10)).toEqual({ received: cut + 10, etag: null });
    await expect(send(other, key, bytes, cut + 11, size)).rejects.toMatchObject({ reason: "gap", received: cut + 10 });
    await expect(send(other, key, bytes, 10, size)).rejects.toMatchObject({ reason: "gap", received: 0 });
    const { etag } = await send(new OwnS3Store(target()), key, bytes, cut + 10, size);
    expect(etag).toMatch(/-3"$/);
    expect((await readBytes(await other.read(key))).equals(bytes)).toBe(true);
  });

  test("in many small pieces is complete at its end", async () => {
    const store = new OwnS3Store(target());
    const [key, bytes] = [newKey(), randomBytes(small)];
    for (let start = 0; start < 900; start += 100)
      expect(await send(store, key, bytes, start, start + 100)).toEqual({ received: start + 100, etag: null });
    const md5 = createHash("md5").update(bytes).digest("hex");
    expect(await send(store, key, bytes, 900, small)).toEqual({ received: small, etag: `"${md5}"` });
  });

  test("that is longer than declared is refused and leaves nothing", async () => {
    const store = new OwnS3Store(target());
    const [key, bytes] = [newKey(), randomBytes(size + 1)];
    const sent = store.receive(key, { start: 0, end: size, sizeBytes: size, body: toStream(bytes) }, admitted);
    await expect(sent).rejects.toBeInstanceOf(UploadRefused);
    expect([await store.head(key), await store.receivedBytes(key, size)]).toEqual([null, 0]);
  });

  test("that was discarded can no longer become the object", async () => {
    const store = new OwnS3Store(target());
    const [key, bytes] = [newKey(), randomBytes(size)];
    const other = new OwnS3Store(target());
    const sent = store.receive(
      key,
      { start: 0, end: size, sizeBytes: size, body: toStream(bytes) },
      async (publish) => {
        await other.discard(key);
        await publish();
      },
    );
    await expect(sent).rejects.toThrow();
    expect([await store.head(key), await store.receivedBytes(key, size)]).toEqual([null, 0]);
  });

  test("that two processes send at the same time stores the bytes of one of them", async () => {
    const key = newKey();
    const both = [randomBytes(size), randomBytes(size)];
    const sent = await Promise.all(both.map((bytes) => send(new OwnS3Store(target()), key, bytes, 0, size)));
    const store = new OwnS3Store(target());
    const stored = await readBytes(await store.read(key));
    const winner = both.findIndex((bytes) => bytes.equals(stored));
    expect((await store.head(key))?.etag).toBe(sent[winner]?.etag);
  });
});

describe.skipIf(!hasServer)("the installation's bucket", () => {
  test("lists its objects, and unfinished uploads that are old enough", async () => {
    const prefix = unique("listing");
    const store = new OwnS3Store(target({ prefix }));
    const [stored, long, short] = [newKey(), newKey(), newKey()];
    await store.put(stored, toStream(randomBytes(5)), 5);
    await send(store, long, randomBytes(size), 0, step + 10, size);
    await send(store, short, randomBytes(small), 0, 10, small);
    await store.writeMark("whose");
    // As a backup into the same bucket, which takes longer than uploads may.
    const { AbortMultipartUploadCommand, CreateMultipartUploadCommand } = await import("@aws-sdk/client-s3");
    const client = await s3Client(target());
    const backup = { Bucket: bucket, Key: `${prefix}/full.tar` };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(backup));
    expect([await collect(store.list()), await store.readMark()]).toEqual([[stored], "whose"]);
    expect(await collect(store.listUnfinished(new Date(Date.now() - 3_600_000)))).toEqual([]);
    const later = new Date(Date.now() + 3_600_000);
    expect(new Set(await collect(store.listUnfinished(later)))).toEqual(new Set([long, short]));
    await client.send(new AbortMultipartUploadCommand({ ...backup, UploadId }));
    await store.deletePrefix("recordings/");
    expect([await collect(store.list()), await collect(store.listUnfinished(later))]).toEqual([[], []]);
  });

  test("has no mark before one is written", async () => {
    expect(await new OwnS3Store(target({ prefix: unique("fresh") })).readMark()).toBeNull();
  });

  test("that cannot be used is a 503, never the fault of the caller", async () => {
    for (const wrong of [{ bucket: "elsewhere" }, { endpointUrl: "http://127.0.0.1:65500" }]) {
      const failure: unknown = await new OwnS3Store(target(wrong)).readBytes("a/b", 0, 1).catch((error) => error);
      expect(isServiceError(failure) && failure.code).toBe("unavailable");
    }
  });

  test("is used by browsers and resumable uploads through our own server, by programs at its public address", async () => {
    const store = new OwnS3Store(target({ publicEndpointUrl: "https://files.example.com" }));
    const upload = { key: newKey(), sizeBytes: 5, account: "user:x", ttlSeconds: 60 };
    const download = { key: upload.key, fileName: "a", ttlSeconds: 60 };
    const links = await Promise.all([
      store.uploadUrl({ ...upload, direct: true }),
      store.uploadUrl(upload),
      store.uploadUrl({ ...upload, direct: true, sizeBytes: 6 * 1024 ** 3 }),
      store.downloadUrl({ ...download, by: { type: "api_key", id: "k" } }),
      store.downloadUrl({ ...download, by: { type: "user", id: "u" } }),
      store.downloadUrl({ ...download, by: null }),
    ]);
    const starts = links.map(
      (link) => /^(https:\/\/[^/]+\/[^/]+|\/files\/)/.exec(typeof link === "string" ? link : link.url)?.[0],
    );
    const [direct, own] = [`https://files.example.com/${bucket}`, "/files/"];
    expect(starts).toEqual([direct, own, own, direct, own, own]);
  });
});
