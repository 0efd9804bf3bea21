import sharp from "sharp";
import { expect, test } from "vitest";
import { hideExif } from "@/engine/messages/pictures/exif";

const pixels = Buffer.from(Array.from({ length: 12 * 8 * 3 }, (_, n) => (n * 37) % 256));
const picture = () => sharp(pixels, { raw: { width: 12, height: 8, channels: 3 } }).withMetadata({ orientation: 6 });

test.each([
  ["image/jpeg", () => picture().jpeg()],
  ["image/png", () => picture().png()],
  ["image/webp", () => picture().webp({ lossless: true })],
] as const)("of %s, nothing says any more that it lies on its side, and its pixels stay", async (mediaType, encode) => {
  const data = await encode().toBuffer();
  const before = Buffer.from(data);
  expect((await sharp(data).metadata()).orientation).toBe(6);
  const hidden = hideExif({ kind: "compressed", mediaType, data });
  const { orientation, width, height } = await sharp(hidden).metadata();
  expect([orientation, width, height]).toEqual([undefined, 12, 8]);
  expect(await sharp(hidden).raw().toBuffer()).toEqual(await sharp(data).raw().toBuffer());
  // The message is a view of a whole chunk, which others read.
  expect(data.equals(before)).toBe(true);
});

test("a file that is cut anywhere is left as it is, or hidden as far as it goes", async () => {
  for (const [mediaType, data] of [
    ["image/jpeg", await picture().jpeg().toBuffer()],
    ["image/png", await picture().png().toBuffer()],
    ["image/webp", await picture().webp().toBuffer()],
  ] as const)
    for (let length = 0; length <= data.length; length++)
      expect(hideExif({ kind: "compressed", mediaType, data: data.subarray(0, length) })).toHaveLength(length);
});
