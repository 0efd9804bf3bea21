import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { BucketStore } from "@/server/platform/storage/bucket-store";
import { ObjectMissing } from "@/server/platform/storage/store";
import { unique, type TestOrganization } from "@/server/testing/factories";

/** Tests of its objects that every kind of customer bucket must pass; bucket-contents.ts has those of what is stored there. */

/** A bucket on a real server that verifies requests. */
export interface BucketPlace {
  org: TestOrganization;
  /** The start of the URLs of the bucket's objects. */
  address: string;
  /** The start of the URLs of its server. */
  endpoint: string;
  /** Stores objects in the bucket, below a prefix. */
  store: BucketStore;
  /** What the entity tag of an object of three parts looks like. */
  etagOfParts: RegExp;
  /** The fields with which the organization connects the bucket, with prefix "ours/". */
  fields: Readonly<Record<string, string>>;
  /** Lists the bucket's objects below a prefix. */
  names: (prefix: string) => Promise<string[]>;
}

export const toStream = (bytes: Uint8Array) => new Blob([new Uint8Array(bytes)]).stream();
export const readBytes = async (stream: ReadableStream<Uint8Array>) =>
  Buffer.from(await new Response(stream).arrayBuffer());

const program = { type: "api_key", id: "k" } as const;

/** Tests of objects in a bucket. */
export function objectsInABucket(place: () => BucketPlace): void {
  test("is stored, read completely and in part, and removed", async () => {
    const store = place().store;
    const key = `recordings/o/${unique()}/f`;
    const bytes = randomBytes(300_000);
    const stored = await store.put(key, toStream(bytes), bytes.length);
    expect(stored.sizeBytes).toBe(bytes.length);
    expect(stored.etag).toMatch(/^".+"$/);
    expect(await store.head(key)).toEqual(stored);
    expect((await readBytes(await store.read(key))).equals(bytes)).toBe(true);
    expect(
      (await readBytes(await store.read(key, { start: 1_000, end: 2_000 }))).equals(bytes.subarray(1_000, 2_000)),
    ).toBe(true);
    expect((await readBytes(await store.read(key, { start: 5, end: 5 }))).length).toBe(0);
    expect(Buffer.from(await store.readBytes(key, 299_990, 100)).equals(bytes.subarray(299_990))).toBe(true);
    expect((await store.readBytes(key, 300_000, 100)).length).toBe(0);
    await store.delete(key);
    await store.delete(key);
    expect(await store.head(key)).toBeNull();
    await expect(store.read(key)).rejects.toThrow(ObjectMissing);
    await expect(store.readBytes(key, 0, 1)).rejects.toThrow(ObjectMissing);
  });

  test("of many parts is stored unchanged, and one of another size than declared is not stored", async () => {
    const store = place().store;
    const key = `exports/o/${unique()}`;
    const bytes = randomBytes(20 * 1024 * 1024);
    const stored = await store.put(key, toStream(bytes), bytes.length);
    expect([stored.sizeBytes, stored.etag]).toEqual([bytes.length, expect.stringMatching(place().etagOfParts)]);
    expect((await readBytes(await store.read(key))).equals(bytes)).toBe(true);
    for (const size of [bytes.length - 1, bytes.length + 1, 10]) {
      const other = `exports/o/${unique()}`;
      await expect(store.put(other, toStream(bytes), size)).rejects.toThrow("were declared");
      expect(await store.head(other)).toBeNull();
    }
  });

  test("is deleted with everything below its prefix and nothing else", async () => {
    const store = place().store;
    const [deleted, other] = [unique("deleted"), unique("other")];
    for (const key of [`${deleted}/a`, `${deleted}/b/c`, `${other}/a`])
      await store.put(key, toStream(Buffer.from(key)), key.length);
    await store.deletePrefix(`${deleted}/`);
    await store.deletePrefix(`${deleted}/`);
    expect([await store.head(`${deleted}/a`), await store.head(`${deleted}/b/c`)]).toEqual([null, null]);
    expect(await store.head(`${other}/a`)).not.toBeNull();
  });

  test("is uploaded and downloaded with correctly signed URLs only", async () => {
    const store = place().store;
    const key = `recordings/o/${unique()}/f`;
    const upload = await store.uploadUrl({ key, sizeBytes: 5, account: "user:x", direct: true, ttlSeconds: 600 });
    const put = (url: string) => fetch(url, { method: "PUT", body: "hello", headers: upload.headers });
    for (const tampered of [upload.url.replace(/(Signature=)./, "$1_"), upload.url.replace(key, `${key}2`)])
      expect((await put(tampered)).status).toBe(403);
    const response = await put(upload.url);
    expect(response.status).toBe(200);
    expect((await store.head(key))?.etag).toBe(response.headers.get("etag"));
    const url = await store.downloadUrl({ key, fileName: 'run "7" Ö.mcap', by: program, ttlSeconds: 600 });
    const download = await fetch(url);
    expect([download.status, await download.text()]).toEqual([200, "hello"]);
    expect(download.headers.get("content-disposition")).toBe(
      `attachment; filename="run _7_ _.mcap"; filename*=UTF-8''run%20%227%22%20%C3%96.mcap`,
    );
    expect((await fetch(url.replace(key, `${key}2`))).status).toBe(403);
  });

  test.each([
    ["frame.PNG", "image/png"],
    ["drawing.svg", "application/octet-stream"],
    ["run.mcap", "application/octet-stream"],
  ])("is downloaded with the media type of its name unless that can run scripts: %s", async (fileName, type) => {
    const store = place().store;
    const key = `datasets/o/${unique()}/f`;
    await store.put(key, new Blob(["hello"]).stream(), 5);
    const download = await fetch(await store.downloadUrl({ key, fileName, by: program, ttlSeconds: 600 }));
    expect([download.status, download.headers.get("content-type")]).toEqual([200, type]);
  });
}
