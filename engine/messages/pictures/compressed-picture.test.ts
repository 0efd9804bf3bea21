import sharp from "sharp";
import { expect, test } from "vitest";
import { readCompressedPicture } from "@/engine/messages/pictures/compressed-picture";
import { isPictureSchema } from "@/engine/messages/pictures/picture-schemas";
import { findPictureAdapter } from "@/engine/messages/pictures/pictures";
import { UnreadableMessage } from "@/engine/messages/reading";

const picture = () => sharp({ create: { width: 40, height: 30, channels: 3, background: "#369" } });

test.each([
  ["image/jpeg", () => picture().jpeg().toBuffer()],
  ["image/png", () => picture().png().toBuffer()],
  ["image/webp", () => picture().webp().toBuffer()],
  ["image/avif", () => picture().avif().toBuffer()],
] as const)("%s is recognized by its first bytes, whatever the format says", async (mediaType, encode) => {
  const data = await encode();
  expect(readCompressedPicture({ format: "rgb8; jpeg compressed bgr8", data })).toEqual({
    kind: "compressed",
    mediaType,
    data,
  });
});

test("one of more than 100 megapixels is refused before it is decoded", async () => {
  const png = Buffer.from(await picture().png().toBuffer());
  png.writeUInt32BE(60_000, 16);
  png.writeUInt32BE(60_000, 20);
  expect(() => readCompressedPicture({ data: png })).toThrow("60000 × 60000 pixels");
  const jpeg = Buffer.from(await picture().jpeg().toBuffer());
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  jpeg.writeUInt16BE(60_000, frame + 5);
  jpeg.writeUInt16BE(60_000, frame + 7);
  expect(() => readCompressedPicture({ data: jpeg })).toThrow("60000 × 60000 pixels");
});

test.each([
  [{ format: "tiff", data: Buffer.from("II*\0") }, 'Pictures of the format "tiff" cannot be shown.'],
  [{ format: "jpeg", data: new Uint8Array(0) }, "The message carries no picture."],
  [
    { format: "rgb8; jpeg compressed bgr8", data: Buffer.from("not a picture") },
    'The format is "rgb8; jpeg compressed bgr8", but the data begins as no picture does: 6e 6f 74 20 61 20 70 69',
  ],
  [{ format: "jpeg" }, 'The field "data" holds no bytes.'],
])("what is no picture is refused: %j", (message, reason) => {
  expect(() => readCompressedPicture(message)).toThrow(UnreadableMessage);
  expect(() => readCompressedPicture(message)).toThrow(reason);
});

test("a cut file of any length is a picture or refused, never anything else", async () => {
  const whole = await picture().jpeg().toBuffer();
  for (let length = 0; length < whole.length; length += 3) {
    try {
      expect(readCompressedPicture({ data: whole.subarray(0, length) })).toMatchObject({ mediaType: "image/jpeg" });
    } catch (error) {
      expect(error).toBeInstanceOf(UnreadableMessage);
    }
  }
});

test.each([
  ["sensor_msgs/msg/Image", true],
  ["sensor_msgs/Image", true],
  ["foxglove.CompressedImage", true],
  ["foxglove_msgs/msg/RawImage", true],
  ["sensor_msgs/msg/PointCloud2", false],
  ["my_msgs/msg/Image", false],
])("messages of %s are pictures: %s", (schema, isPicture) => {
  expect([isPictureSchema(schema), findPictureAdapter(schema) !== null]).toEqual([isPicture, isPicture]);
});
