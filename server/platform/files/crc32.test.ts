import * as zlib from "node:zlib";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { fastestCrc32 } from "@/server/platform/files/crc32";

afterEach(() => vi.doUnmock("@node-rs/crc32"));

test("checksums of any bytes, at once or in parts, are those of zlib, also of memory that threads share", async () => {
  const { name, crc32 } = await fastestCrc32();
  expect(name).toBe("@node-rs/crc32");
  expect(crc32).not.toBe(zlib.crc32);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3_000 }), fc.nat(3_000), (bytes, cut) => {
      const expected = zlib.crc32(bytes);
      expect(crc32(bytes)).toBe(expected);
      expect(crc32(bytes.subarray(cut), crc32(bytes.subarray(0, cut)))).toBe(expected);
      const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 1)).subarray(1);
      shared.set(bytes);
      expect(crc32(shared)).toBe(expected);
    }),
  );
});

test("where the package has no binary for the platform, Node's own takes its place", async () => {
  vi.doMock("@node-rs/crc32", () => {
    throw new Error("Cannot find native binding.");
  });
  expect(await fastestCrc32()).toEqual({ name: "node:zlib", crc32: zlib.crc32 });
});
