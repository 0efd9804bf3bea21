import zlib from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { crc32 } from "@/engine/formats/codecs/crc32";

it("the checksum is that of zlib, for any length and place in memory", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(9), (bytes, from) => {
      expect(crc32(bytes.subarray(from))).toBe(zlib.crc32(bytes.subarray(from)));
    }),
  );
});
