import { randomBytes } from "node:crypto";
import { mkdtemp, open, readFile, rm, truncate, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openArchive } from "@/cli/db/source";
import { findFromEnd, readTar, TarWriter } from "@/cli/db/tar";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "muster-tar-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const longName = `files/${"segment-of-a-key/".repeat(16)}end`;
const large = randomBytes(200_003);

async function archive(name: string): Promise<string> {
  const place = path.join(folder, name);
  const tar = new TarWriter((bytes) => writeFile(place, bytes));
  await tar.addText("empty", "");
  await tar.addText(longName, "x");
  await tar.add("large", large.length, [large.subarray(0, 150_000), large.subarray(150_000)]);
  await tar.close();
  return place;
}

async function contents(place: string, wanted: (name: string) => boolean = () => true) {
  const file = await openArchive(place);
  try {
    const found: [string, Buffer | number][] = [];
    for await (const { name, size, bytes } of readTar(file)) {
      const chunks: Buffer[] = [];
      if (wanted(name)) for await (const chunk of bytes()) chunks.push(chunk);
      found.push([name, wanted(name) ? Buffer.concat(chunks) : size]);
    }
    return found;
  } finally {
    await file.close();
  }
}

describe("an archive", () => {
  test("yields every entry in order, empty, large or of a long name, and skips those that are not read", async () => {
    const place = await archive("whole.tar");
    expect(await contents(place)).toEqual([
      ["empty", Buffer.alloc(0)],
      [longName, Buffer.from("x")],
      ["large", large],
    ]);
    expect(await contents(place, (name) => name === "empty")).toEqual([
      ["empty", Buffer.alloc(0)],
      [longName, 1],
      ["large", large.length],
    ]);
  });

  test("that is truncated in an entry or damaged in a header fails with that reason", async () => {
    const cut = await archive("cut.tar");
    await truncate(cut, (await readFile(cut)).length - 100_000);
    await expect(contents(cut)).rejects.toThrow("the file breaks off");
    await expect(contents(cut, () => false)).rejects.toThrow("the file breaks off");
    const damaged = await archive("damaged.tar");
    const file = await open(damaged, "r+");
    await file.write("X", 0);
    await file.close();
    await expect(contents(damaged)).rejects.toThrow("the file is damaged");
  });

  test.each([
    ["fewer", [Buffer.alloc(3)], "one was to have 5 bytes and has 3"],
    ["more", [Buffer.alloc(4), Buffer.alloc(4)], "one was to have 5 bytes and has more"],
  ])("refuses an entry of %s bytes than declared", async (_, source, message) => {
    const file = await open(path.join(folder, "refused.tar"), "w");
    await expect(new TarWriter((bytes) => writeFile(file, bytes)).add("one", 5, source)).rejects.toThrow(message);
    await file.close();
  });

  test.runIf(process.platform === "linux")("on a full disk fails with that reason", async () => {
    const file = await open("/dev/full", "w");
    const tar = new TarWriter((bytes) => writeFile(file, bytes));
    const fill = async () => {
      for (let n = 0; n < 10; n++) await tar.add(`${n}`, large.length, [large]);
      await tar.close();
    };
    await expect(fill()).rejects.toThrow("ENOSPC");
    await file.close();
  });

  test("has its list found from the end, whatever its entries hold, and only where nothing but the last one follows", async () => {
    const find = async (entries: [string, Buffer][]) => {
      const place = path.join(folder, "list.tar");
      const tar = new TarWriter((bytes) => writeFile(place, bytes));
      for (const [name, bytes] of entries) await tar.add(name, bytes.length, [bytes]);
      await tar.close();
      const source = await openArchive(place);
      try {
        const at = await findFromEnd(source, "list", "last");
        if (at === null) return null;
        const names: string[] = [];
        for await (const { name } of readTar(source, at)) names.push(name);
        return names;
      } finally {
        await source.close();
      }
    };
    const list = Buffer.from("a line of a list\n".repeat(200_000));
    const archived = await readFile(await archive("inner.tar"));
    expect(
      await find([
        ["inner", archived],
        ["list", list],
        ["last", list],
      ]),
    ).toEqual(["list", "last"]);
    expect(
      await find([
        ["list", Buffer.alloc(0)],
        ["last", Buffer.from("x")],
      ]),
    ).toEqual(["list", "last"]);
    expect(
      await find([
        ["list", list],
        ["other", list],
        ["last", list],
      ]),
    ).toBe(null);
    expect(await find([["large", large]])).toBe(null);
  });
});
