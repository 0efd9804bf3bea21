import sharp from "sharp";
import { expect, test } from "vitest";
import { encodeNumbers } from "@/server/features/exports/panoptic/png";

test("a picture of several bands has the number of each pixel, to the largest of three bytes", async () => {
  // Two bands: a row has 24,001 bytes.
  const size = { width: 8_000, height: 1_000 };
  const png = await encodeNumbers(
    [
      { id: 1, segments: [0, 0, 1_000] },
      { id: 70_000, segments: [7_999, 600, 800] },
      { id: 16_777_215, segments: [4_000, 999, 1_000] },
    ],
    size,
  );
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ ...size, channels: 3 });
  const read = (x: number, y: number) => {
    const [red = 0, green = 0, blue = 0] = data.subarray(3 * (y * size.width + x));
    return red + 256 * green + 65_536 * blue;
  };
  expect([read(0, 0), read(0, 999), read(1, 0)]).toEqual([1, 1, 0]);
  expect([read(7_999, 599), read(7_999, 600), read(7_999, 799), read(7_999, 800)]).toEqual([0, 70_000, 70_000, 0]);
  expect([read(4_000, 998), read(4_000, 999)]).toEqual([0, 16_777_215]);
  expect(png.length).toBeLessThan((3 * size.width * size.height) / 100);
});
