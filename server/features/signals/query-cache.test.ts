import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openCache, shrinkCache } from "@/server/features/signals/query-cache";
import { env } from "@/server/platform/env";
import { objectStore } from "@/server/platform/storage/current";
import { unique } from "@/server/testing/factories";

const root = (): string => path.join(env.DATA_DIR, "signals", "cache");
const names = (): string[] =>
  readdirSync(root(), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
const size = 300_000;
const content = Uint8Array.from({ length: size }, (_, at) => 1 + (at % 255));

let folder: string;
let storageKey: string;

/** A file of the store at a new place in the folder of a query. */
async function open(etag = '"1"') {
  const target = path.join(folder, unique("file"));
  const file = await (await openCache()).open({ storageKey, etag, sizeBytes: size }, target);
  return { file, target };
}

beforeAll(() => {
  folder = path.join(env.DATA_DIR, unique("folder"));
  mkdirSync(folder, { recursive: true });
});

beforeEach(async () => {
  rmSync(root(), { recursive: true, force: true });
  storageKey = `recordings/org_a/rec_a/${unique("signals")}`;
  await objectStore().put(storageKey, new Blob([content]).stream(), size);
});

describe("the cache of queries", () => {
  it("has the parts that were read, and the next query finds them without the store", async () => {
    const { file, target } = await open();
    await file.fetch({ from: 200_000, to: 300_000 });
    await file.fetch({ from: 10, to: 20 });
    const expected = new Uint8Array(size);
    expected.set(content.subarray(10, 20), 10);
    expected.set(content.subarray(200_000), 200_000);
    expect(statSync(target).size).toBe(size);
    expect(Buffer.compare(readFileSync(target), expected)).toBe(0);
    rmSync(target);

    await objectStore().delete(storageKey);
    const next = await open();
    await next.file.fetch({ from: 250_000, to: 250_100 });
    expect(await next.file.read({ from: 250_000, to: 250_100 })).toEqual(content.slice(250_000, 250_100));
    await expect(next.file.fetch({ from: 0, to: 10 })).rejects.toThrow("no object");
    const changed = await open('"2"');
    await expect(changed.file.fetch({ from: 250_000, to: 250_100 })).rejects.toThrow("no object");
  });

  it("lists no part whose reading was cancelled", async () => {
    const caller = new AbortController();
    const target = path.join(folder, unique("file"));
    const stored = { storageKey, etag: '"1"', sizeBytes: size };
    const file = await (await openCache()).open(stored, target, caller.signal);
    await file.fetch({ from: 0, to: 100 });
    const reading = file.fetch({ from: 100, to: size });
    caller.abort();
    await expect(reading).rejects.toThrow("abort");
    await expect(file.fetch({ from: 100, to: size })).rejects.toThrow("abort");
    const next = await open();
    await next.file.fetch({ from: 0, to: size });
    expect(Buffer.compare(readFileSync(next.target), content)).toBe(0);
  });

  it("keeps what queries have while it is emptied, and never takes parts of a file that is gone", async () => {
    const { file, target } = await open();
    await file.fetch({ from: 0, to: size });
    expect(names()).toHaveLength(2);
    await shrinkCache({ bytes: 0, files: 0 });
    expect(names()).toEqual([]);
    expect(Buffer.compare(readFileSync(target), content)).toBe(0);
    const again = await open();
    expect(await again.file.read({ from: 0, to: 10 })).toEqual(new Uint8Array(10));
    await again.file.fetch({ from: 0, to: size });
    expect(Buffer.compare(readFileSync(again.target), content)).toBe(0);
  });

  it("removes what was used longest ago", async () => {
    const keys = [unique("a"), unique("b"), unique("c")];
    for (const etag of keys) {
      await (await open(etag)).file.fetch({ from: 0, to: size });
      // Times of use are whole milliseconds.
      const used = Date.now();
      while (Date.now() === used) await nextTurn();
    }
    await (await open(keys[0])).file.fetch({ from: 0, to: size });
    const before = names();
    await shrinkCache({ bytes: 10_000_000, files: 2 });
    expect(names()).toHaveLength(before.length - 2);
    await objectStore().delete(storageKey);
    await (await open(keys[0])).file.fetch({ from: 0, to: size });
    await expect((await open(keys[1])).file.fetch({ from: 0, to: size })).rejects.toThrow("no object");
  });
});
