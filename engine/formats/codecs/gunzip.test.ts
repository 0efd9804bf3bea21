import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { gunzip } from "@/engine/formats/codecs/gunzip";

const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => (at * at) % 251);

it.each([0, 1, 9])("decompresses what Node compresses at level %i", (level) => {
  expect(gunzip(gzipSync(bytes, { level }), bytes.length)).toEqual(bytes);
});

it.each([0, 5, 12, 200, 3_000])("does not take %i bytes of it for all", (length) => {
  const cut = gzipSync(bytes, { level: 0 }).subarray(0, length);
  let read = 0;
  try {
    read = gunzip(cut, bytes.length).length;
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
  }
  expect(read).toBeLessThan(bytes.length);
});
