import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { env } from "@/server/platform/env";
import { checkContent } from "@/server/platform/storage/content-check";
import { DiskStore } from "@/server/platform/storage/disk";
import { TagCheck, type TaggedFile, type TagThread } from "@/server/platform/storage/tag-check";
import { unique } from "@/server/testing/factories";
import { computeEtag, filesOfKey } from "@/server/testing/stored-files";

const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest();
const step = 8 * 1024 ** 2;

/** Checks bytes that come in pieces of this size. */
function check(etag: string, bytes: Buffer, piece: number): boolean | null {
  const tag = new TagCheck(etag, bytes.length);
  for (let at = 0; at < bytes.length; at += piece) tag.update(bytes.subarray(at, at + piece));
  return tag.matches();
}

test("the tag of one part and that of several are compared with the bytes, however these come", () => {
  const bytes = randomBytes(2 * step + 5);
  const parts = [bytes.subarray(0, step), bytes.subarray(step, 2 * step), bytes.subarray(2 * step)];
  const composite = `"${md5(Buffer.concat(parts.map(md5))).toString("hex")}-3"`;
  const wrong = Buffer.from(bytes);
  wrong[step + 1]! ^= 1;
  for (const piece of [65_537, step, bytes.length]) {
    expect([check(composite, bytes, piece), check(composite, wrong, piece)]).toEqual([true, false]);
    expect([check(computeEtag(bytes), bytes, piece), check(computeEtag(bytes), wrong, piece)]).toEqual([true, false]);
  }
  for (const other of [composite.replace("-3", "-4"), '"CJ+1"']) expect(check(other, bytes, step)).toBeNull();
});

test("a stored file is intact, damaged, of another size, or missing", async () => {
  const root = path.join(env.DATA_DIR, unique("content"));
  const store = new DiskStore(root);
  const [bytes, sizeBytes] = [randomBytes(1_000), 1_000];
  const { etag } = await store.put("a/b", new Blob([bytes]).stream(), sizeBytes);
  const file = { key: "a/b", etag, sizeBytes };
  const results = [await checkContent(store, file), await checkContent(store, { ...file, sizeBytes: 999 })];
  const [stored = ""] = filesOfKey("a/b", root);
  fs.writeFileSync(stored, Buffer.concat([Buffer.from([(bytes[0] ?? 0) ^ 1]), bytes.subarray(1)]));
  results.push(await checkContent(store, file), await checkContent(store, { ...file, etag: null }));
  results.push(await checkContent(store, { ...file, key: "a/c" }));
  expect(results).toEqual(["intact", "damaged", "damaged", "damaged", "missing"]);
});

test("a large file on the disk is compared by the thread, or here when that has ended", async () => {
  const root = path.join(env.DATA_DIR, unique("content"));
  const store = new DiskStore(root);
  const compared: TaggedFile[] = [];
  const answers = [true, false, null, "ended", "ended"] as const;
  const thread: TagThread = { compare: async (file) => answers[compared.push(file) - 1] ?? null };
  const check = async (sizeBytes: number, recorded?: string) => {
    const { etag } = await store.put("a/b", new Blob([randomBytes(sizeBytes)]).stream(), sizeBytes);
    return checkContent(store, { key: "a/b", etag: recorded ?? etag, sizeBytes }, { thread });
  };
  const large = 1024 * 1024;
  const results = [await check(large), await check(large), await check(large), await check(large)];
  results.push(await check(large, `"${"0".repeat(32)}"`), await check(large - 1));
  expect(results).toEqual(["intact", "damaged", "unverifiable", "intact", "damaged", "intact"]);
  expect(compared.map(({ sizeBytes }) => sizeBytes)).toEqual([large, large, large, large, large]);
});
