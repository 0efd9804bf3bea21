import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { OpenFile } from "@/server/platform/storage/open-file";

const bytes = randomBytes(200_000);
let folder: string;
let handle: FileHandle;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "muster-open-file-"));
  fs.writeFileSync(path.join(folder, "file"), bytes);
  handle = await open(path.join(folder, "file"));
});
afterAll(async () => {
  await handle.close();
  fs.rmSync(folder, { recursive: true });
});

describe("an open file", () => {
  it.each([0, Infinity])(
    "returns the bytes at a position, fewer only at its end (slow: more than %d ms)",
    async (slow) => {
      const file = new OpenFile(handle, slow);
      for (let round = 0; round < 20; round++) {
        for (const [offset, length] of [
          [0, 16],
          [round, 65_536],
          [5, 100_000],
          [199_990, 100],
          [300_000, 10],
          [7, 0],
        ] as const)
          expect(bytes.subarray(offset, offset + length).equals(await file.read(offset, length))).toBe(true);
        const target = new Uint8Array(100);
        const read = await file.read(10, 50, target);
        expect(read.buffer).toBe(target.buffer);
        expect(bytes.subarray(10, 60).equals(read)).toBe(true);
      }
    },
  );

  it("reads on where a read returned less than there is", async () => {
    const short = vi.spyOn(fs, "readSync").mockReturnValueOnce(3);
    const read = await new OpenFile(handle).read(20, 100);
    expect(short).toHaveBeenCalledOnce();
    short.mockRestore();
    expect(bytes.subarray(20, 120).equals(read)).toBe(true);
  });

  it("has other threads read what is long, and more after a read that was slow", async () => {
    const read = vi.spyOn(handle, "read");
    const reads = async (slow: number, length: number, count: number): Promise<number> => {
      read.mockClear();
      const file = new OpenFile(handle, slow);
      for (let i = 0; i < count; i++) await file.read(i, length);
      return read.mock.calls.length;
    };
    expect(await reads(Infinity, 65_536, 40)).toBe(0);
    expect(await reads(Infinity, 65_537, 40)).toBe(40);
    // Each first one was slow, whatever it took.
    expect(await reads(-1, 100, 34)).toBe(32);
    read.mockRestore();
  });
});
