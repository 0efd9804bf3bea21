import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { env } from "@/server/platform/env";
import { DiskStore } from "@/server/platform/storage/disk";
import { protectFiles } from "@/server/platform/storage/own";
import type { Publish } from "@/server/platform/storage/own-store";
import { unique } from "@/server/testing/factories";
import { computeEtag, filesOfKey } from "@/server/testing/stored-files";

const key = "recordings/x/y";
let root: string;
let store: DiskStore;

beforeEach(() => {
  root = path.join(env.DATA_DIR, unique("disk"));
  store = new DiskStore(root);
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const toStream = (...chunks: Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
const admitted = (publish: Publish) => publish();

/** Uploads `bytes` from `start` of an object of `sizeBytes`. */
const receive = (bytes: Uint8Array, start: number, sizeBytes: number, through = store) =>
  through.receive(key, { start, end: start + bytes.length, sizeBytes, body: toStream(bytes) }, admitted);

/** An upload from the beginning whose body is sent in pieces. */
function begin(sizeBytes: number, through: DiskStore) {
  const controllers: ReadableStreamDefaultController<Uint8Array>[] = [];
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void controllers.push(controller) });
  const result = through.receive(key, { start: 0, end: sizeBytes, sizeBytes, body }, admitted);
  return {
    /** Resolves once the bytes are in a file. */
    send: async (bytes: Uint8Array) => {
      controllers[0]?.enqueue(bytes);
      while ((await through.receivedBytes(key)) !== bytes.length) await new Promise((resolve) => setImmediate(resolve));
    },
    end: (bytes: Uint8Array) => {
      controllers[0]?.enqueue(bytes);
      controllers[0]?.close();
      return result;
    },
  };
}
const collected = async (stream: ReadableStream<Uint8Array>) => Buffer.from(await new Response(stream).arrayBuffer());
const stored = async () => Buffer.from(await store.readBytes(key, 0, 1e6));

/** The permissions of everything below a folder, by kind. */
function modesBelow(folder: string): { folders: Set<number>; files: Set<number> } {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  const getMode = ({ parentPath, name }: fs.Dirent) => fs.statSync(path.join(parentPath, name)).mode & 0o777;
  return {
    folders: new Set(entries.filter((entry) => entry.isDirectory()).map(getMode)),
    files: new Set(entries.filter((entry) => entry.isFile()).map(getMode)),
  };
}

describe("other users of the machine", () => {
  test.each([0, 0o022, 0o077])("cannot read stored or partly uploaded files, with a umask of %i", async (umask) => {
    const before = process.umask(umask);
    try {
      await store.put("exports/o/e", toStream(randomBytes(10)), 10);
      await receive(randomBytes(10), 0, 20);
      await receive(randomBytes(5), 10, 20, new DiskStore(root));
      const open = begin(20, new DiskStore(root));
      await open.send(randomBytes(5));
      expect(modesBelow(root)).toEqual({ folders: new Set([0o700]), files: new Set([0o600]) });
      expect(fs.statSync(root).mode & 0o777).toBe(0o700);
      await open.end(randomBytes(15));
    } finally {
      process.umask(before);
    }
  });

  test("cannot read files that an older version left world-readable, once a process has started", async () => {
    const files = path.join(env.DATA_DIR, "files");
    fs.mkdirSync(files, { recursive: true });
    fs.chmodSync(files, 0o755);
    await protectFiles();
    expect(fs.statSync(files).mode & 0o777).toBe(0o700);
  });
});

describe("an object that an older version stored", () => {
  const bytes = randomBytes(1_000);
  beforeEach(() => {
    const file = path.join(root, key);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, bytes);
    fs.writeFileSync(`${file}.etag`, computeEtag(bytes));
  });

  test("can be read", async () => {
    expect(await store.head(key)).toMatchObject({ sizeBytes: 1_000, etag: computeEtag(bytes) });
    expect((await stored()).equals(bytes)).toBe(true);
    expect((await collected(await store.read(key, { start: 10, end: 20 }))).equals(bytes.subarray(10, 20))).toBe(true);
  });

  test("can be replaced, and its files are removed", async () => {
    const others = randomBytes(2_000);
    expect(await store.put(key, toStream(others), 2_000)).toMatchObject({
      sizeBytes: 2_000,
      etag: computeEtag(others),
    });
    expect((await stored()).equals(others)).toBe(true);
    expect(filesOfKey(key, root)).toHaveLength(1);
  });

  test("is not affected by a discarded upload, and can be deleted", async () => {
    await receive(randomBytes(10), 0, 20);
    await store.discard(key);
    expect((await stored()).equals(bytes)).toBe(true);
    await store.delete(key);
    expect([await store.head(key), filesOfKey(key, root)]).toEqual([null, []]);
  });
});

describe("an upload that an older version left unfinished", () => {
  const bytes = randomBytes(1_000);
  const part = () => path.join(root, `${key}.part`);
  beforeEach(() => {
    fs.mkdirSync(path.dirname(part()), { recursive: true });
    fs.writeFileSync(part(), bytes.subarray(0, 400));
  });

  test("can be resumed, and later writes of its old process have no effect", async () => {
    expect(await store.receivedBytes(key)).toBe(400);
    const old = fs.openSync(part(), "r+");
    expect(await receive(bytes.subarray(400, 700), 400, 1_000)).toMatchObject({ received: 700, etag: null });
    fs.writeSync(old, randomBytes(600), 0, 600, 300);
    expect(await receive(bytes.subarray(700), 700, 1_000)).toMatchObject({ etag: computeEtag(bytes) });
    fs.writeSync(old, randomBytes(1_000), 0, 1_000, 0);
    fs.closeSync(old);
    expect((await stored()).equals(bytes)).toBe(true);
    expect(modesBelow(root).files).toEqual(new Set([0o600]));
    expect(filesOfKey(key, root)).toHaveLength(1);
  });

  test("can be started again", async () => {
    expect(await receive(bytes, 0, 1_000)).toMatchObject({ etag: computeEtag(bytes) });
    expect(filesOfKey(key, root)).toHaveLength(1);
  });

  test("can be discarded, and is deleted with its key", async () => {
    await store.discard(key);
    expect(await store.receivedBytes(key)).toBe(0);
    fs.writeFileSync(part(), bytes.subarray(0, 400));
    await store.delete(key);
    expect(filesOfKey(key, root)).toEqual([]);
  });
});

describe("an upload", () => {
  const bytes = randomBytes(1_000);

  test("with more bytes than declared does not change the bytes received before it", async () => {
    await receive(bytes.subarray(0, 400), 0, 1_000);
    const part = { start: 400, end: 500, sizeBytes: 1_000, body: toStream(randomBytes(90), randomBytes(90)) };
    await expect(store.receive(key, part, admitted)).rejects.toThrow("long");
    expect(await store.receivedBytes(key)).toBe(400);
    expect(await receive(bytes.subarray(400), 400, 1_000)).toMatchObject({ etag: computeEtag(bytes) });
  });

  test("that is not admitted leaves no files", async () => {
    const part = { start: 0, end: 1_000, sizeBytes: 1_000, body: toStream(bytes) };
    expect(await store.receive(key, part, () => Promise.resolve())).toEqual({ received: 1_000, etag: null });
    expect([await store.head(key), filesOfKey(key, root)]).toEqual([null, []]);
  });

  test("whose admission could not be checked retains all of its bytes", async () => {
    const part = { start: 0, end: 1_000, sizeBytes: 1_000, body: toStream(bytes) };
    const unknown = () => Promise.reject(new Error("no database"));
    await expect(store.receive(key, part, unknown)).rejects.toThrow("no database");
    expect(await store.receivedBytes(key)).toBe(1_000);
    expect(await receive(new Uint8Array(), 1_000, 1_000, new DiskStore(root))).toMatchObject({
      etag: computeEtag(bytes),
    });
  });

  test("replaces an earlier one when it also ends after it", async () => {
    const others = randomBytes(1_000);
    const first = begin(1_000, store);
    await first.send(bytes.subarray(0, 300));
    const later = begin(1_000, new DiskStore(root));
    await later.send(others.subarray(0, 500));
    expect(await first.end(bytes.subarray(300))).toMatchObject({ etag: computeEtag(bytes) });
    expect(await later.end(others.subarray(500))).toMatchObject({ etag: computeEtag(others) });
    expect((await stored()).equals(others)).toBe(true);
  });

  test("does not supersede one whose request came later", async () => {
    const arrivedAt = performance.now();
    const later = begin(1_000, store);
    await later.send(bytes.subarray(0, 300));
    const part = { start: 0, end: 1_000, sizeBytes: 1_000, body: toStream(randomBytes(1_000)), arrivedAt };
    await expect(store.receive(key, part, admitted)).rejects.toThrow("superseded");
    expect(await later.end(bytes.subarray(300))).toMatchObject({ etag: computeEtag(bytes) });
  });
});

test("a put that fails leaves no files", async () => {
  await expect(store.put(key, toStream(randomBytes(5)), 6)).rejects.toThrow("short");
  await expect(store.put(key, toStream(randomBytes(7)), 6)).rejects.toThrow("long");
  expect(filesOfKey(key, root)).toEqual([]);
});

test("a reader gets all of the version that it began with", async () => {
  const [first, second] = [randomBytes(900_000), randomBytes(900_000)];
  await store.put(key, toStream(first), first.length);
  const reading = await store.read(key);
  await store.put(key, toStream(second), second.length);
  expect((await collected(reading)).equals(first)).toBe(true);
  expect((await stored()).equals(second)).toBe(true);
});
