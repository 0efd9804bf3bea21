import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import yauzl from "yauzl";
import { writeZip, type ZipEntry } from "@/server/features/exports/zip";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "muster-zip-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function write(entries: AsyncIterable<ZipEntry>): Promise<string> {
  const file = path.join(folder, `${Math.random().toString(36).slice(2)}.zip`);
  await writeZip(entries, file);
  return file;
}

/** Reads an archive with another implementation, which verifies checksums. */
const readContents = (file: string) =>
  new Promise<Map<string, Buffer>>((resolve, reject) => {
    yauzl.open(file, { lazyEntries: true }, (error, archive) => {
      if (error) return reject(error);
      const contents = new Map<string, Buffer>();
      archive.on("entry", (entry: yauzl.Entry) => {
        archive.openReadStream(entry, (fault, stream) => {
          if (fault) return reject(fault);
          const chunks: Buffer[] = [];
          stream.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
          stream.on("end", () => {
            contents.set(entry.fileName, Buffer.concat(chunks));
            archive.readEntry();
          });
        });
      });
      archive.on("end", () => resolve(contents)).on("error", reject);
      archive.readEntry();
    });
  });

/** Reads the number of entries and the name of the first with another implementation. */
const countEntries = (file: string) =>
  new Promise<[number, string]>((resolve, reject) => {
    yauzl.open(file, { lazyEntries: true, autoClose: true }, (error, archive) => {
      if (error) return reject(error);
      archive.once("entry", (entry: yauzl.Entry) => {
        archive.close();
        resolve([archive.entryCount, entry.fileName]);
      });
      archive.once("error", reject);
      archive.readEntry();
    });
  });

describe("an archive", () => {
  test("contains files given as bytes and as streams, empty and large ones, with names in any script", async () => {
    const large = Buffer.alloc(1_000_000, "muster");
    async function* entries(): AsyncGenerator<ZipEntry> {
      yield { name: "a/empty.txt", bytes: Buffer.alloc(0) };
      yield { name: "Höhle/写真.jpg", bytes: Buffer.from("picture") };
      yield { name: "large.bin", bytes: large };
      yield { name: "stream.bin", bytes: new Blob([large]).stream() };
      yield await Promise.resolve({ name: "empty-stream.bin", bytes: new Blob([]).stream() });
    }
    const contents = await readContents(await write(entries()));
    expect([...contents].map(([name, bytes]) => [name, bytes.length])).toEqual([
      ["a/empty.txt", 0],
      ["Höhle/写真.jpg", 7],
      ["large.bin", large.length],
      ["stream.bin", large.length],
      ["empty-stream.bin", 0],
    ]);
    expect([contents.get("large.bin")?.equals(large), contents.get("stream.bin")?.equals(large)]).toEqual([true, true]);
  });

  test("without entries is valid, and the same content gives the same bytes", async () => {
    async function* none(): AsyncGenerator<ZipEntry> {}
    expect((await readContents(await write(none()))).size).toBe(0);
    async function* one(): AsyncGenerator<ZipEntry> {
      yield await Promise.resolve({ name: "a", bytes: Buffer.from("x") });
    }
    expect((await readFile(await write(one()))).equals(await readFile(await write(one())))).toBe(true);
  });

  test("with more entries than ZIP without ZIP64 allows is read by another implementation", async () => {
    async function* many(): AsyncGenerator<ZipEntry> {
      for (let n = 0; n < 66_000; n++)
        yield await Promise.resolve({ name: `labels/${n}.txt`, bytes: Buffer.from(`${n}`) });
    }
    expect(await countEntries(await write(many()))).toEqual([66_000, "labels/0.txt"]);
  });

  test("fails with the error that its entries throw", async () => {
    async function* broken(): AsyncGenerator<ZipEntry> {
      yield await Promise.resolve({ name: "a", bytes: Buffer.from("x") });
      throw new Error("gone");
    }
    await expect(write(broken())).rejects.toThrow("gone");
  });
});
