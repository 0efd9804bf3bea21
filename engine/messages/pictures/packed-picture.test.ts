import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { readCompressedPicture } from "@/engine/messages/pictures/compressed-picture";
import { unpackPicture } from "@/engine/messages/pictures/packed-picture";
import type { PackedPicture } from "@/engine/messages/pictures/picture";
import { readValues } from "@/engine/messages/pictures/raw-pixels";
import { UnreadableMessage } from "@/engine/messages/reading";

const [width, height] = [37, 23];
/** Depth with edges, slopes and places without any. */
const values = Uint16Array.from({ length: width * height }, (_, at) =>
  at % 11 === 0 ? 0 : (400 + 97 * (at % width) + Math.floor(at / width) * 311) & 0xffff,
);

const toPng = (adaptiveFiltering: boolean) =>
  sharp(values, { raw: { width, height, channels: 1 } })
    .toColourspace("grey16")
    .png({ adaptiveFiltering })
    .toBuffer();

function withHead(picture: Uint8Array, a = 0, b = 0): Uint8Array {
  const head = Buffer.alloc(12);
  head.writeFloatLE(a, 4);
  head.writeFloatLE(b, 8);
  return new Uint8Array(Buffer.concat([head, picture]));
}

function read(message: object): PackedPicture {
  const picture = readCompressedPicture(message);
  if (picture.kind !== "packed") throw new Error(`is ${picture.kind}`);
  return picture;
}

async function unpack(message: object): Promise<number[]> {
  const raw = await unpackPicture(read(message));
  const at = readValues(raw);
  return Array.from(values, (_, pixel) => at(pixel % width, Math.floor(pixel / width)));
}

/** RVL as its paper says: runs of zeros and of differences, in half bytes of three bits each. */
function encodeRvl(depth: Uint16Array): Uint8Array {
  const halves: number[] = [];
  const write = (value: number) => {
    do {
      const rest = value >>> 3;
      halves.push((value & 7) | (rest > 0 ? 8 : 0));
      value = rest;
    } while (value > 0);
  };
  let previous = 0;
  for (let at = 0; at < depth.length;) {
    const zerosFrom = at;
    while (at < depth.length && depth[at] === 0) at++;
    write(at - zerosFrom);
    const from = at;
    while (at < depth.length && depth[at] !== 0) at++;
    write(at - from);
    for (const value of depth.subarray(from, at)) {
      const delta = value - previous;
      write((delta << 1) ^ (delta >> 31));
      previous = value;
    }
  }
  const size = Buffer.alloc(8);
  size.writeUInt32LE(width, 0);
  size.writeUInt32LE(height, 4);
  const words = Buffer.alloc(4 * Math.ceil(halves.length / 8));
  for (let word = 0; word < words.length / 4; word++) {
    let bits = 0;
    for (let n = 0; n < 8; n++) bits = (bits << 4) | (halves[8 * word + n] ?? 0);
    words.writeInt32LE(bits, 4 * word);
  }
  return new Uint8Array(Buffer.concat([size, words]));
}

const orNone = (value: number) => (value === 0 ? Number.NaN : value);

describe("compressedDepth", () => {
  test.each([true, false])("of 16UC1 keeps all 16 bits of a PNG, its rows filtered: %s", async (filtered) => {
    const message = { format: "16UC1; compressedDepth png", data: withHead(await toPng(filtered)) };
    expect(await unpack(message)).toEqual(Array.from(values, orNone));
    expect(read(message)).toMatchObject({ encoding: "16UC1", width, height });
  });

  test("without a method in its format, as older drivers write it, is a PNG", async () => {
    expect(await unpack({ format: "16UC1; compressedDepth", data: withHead(await toPng(true)) })).toEqual(
      Array.from(values, orNone),
    );
  });

  test("of 32FC1 is a ÷ (value − b) metres, and none where the value is 0", async () => {
    const [a, b] = [1_000, -0.5];
    const found = await unpack({ format: "32FC1; compressedDepth png", data: withHead(await toPng(true), a, b) });
    for (const [pixel, value] of values.entries()) {
      if (value === 0) expect(found[pixel]).toBeNaN();
      else expect(found[pixel]).toBeCloseTo(a / (value - b), 4);
    }
  });

  test("by rvl is the same", async () => {
    const data = withHead(encodeRvl(values));
    expect(await unpack({ format: "16UC1; compressedDepth rvl", data })).toEqual(Array.from(values, orNone));
  });

  test("by rvl that is cut anywhere says so, and never ends in another way", async () => {
    const whole = withHead(encodeRvl(values));
    for (let length = 0; length < whole.length - 4; length += 7) {
      const data = whole.subarray(0, length);
      await expect(unpack({ format: "16UC1; compressedDepth rvl", data })).rejects.toThrow(UnreadableMessage);
    }
  });

  test.each<[string, () => Promise<Uint8Array>, string]>([
    ["its head alone", () => Promise.resolve(withHead(new Uint8Array(0))), "no PNG after the 12-byte head"],
    ["less than its head", () => Promise.resolve(new Uint8Array(5)), "the 12-byte head is cut"],
    [
      "a PNG of 8 bits",
      async () =>
        withHead(
          await sharp(Buffer.alloc(4), { raw: { width: 2, height: 2, channels: 1 } })
            .png()
            .toBuffer(),
        ),
      "the PNG has 8 bits",
    ],
  ])("with %s says so", async (_, make, reason) => {
    const data = await make();
    expect(() => read({ format: "16UC1; compressedDepth png", data })).toThrow(reason);
  });

  test("cut within its PNG says so, and damaged ones too", async () => {
    const png = await toPng(true);
    const cut = read({ format: "16UC1; compressedDepth png", data: withHead(png.subarray(0, png.length >> 1)) });
    await expect(unpackPicture(cut)).rejects.toThrow(UnreadableMessage);
    const damaged = Buffer.from(png);
    damaged.fill(255, png.length >> 1, (png.length >> 1) + 40);
    const bad = read({ format: "16UC1; compressedDepth png", data: withHead(damaged) });
    await expect(unpackPicture(bad)).rejects.toThrow(UnreadableMessage);
  });

  test("of a PNG that says more than it holds is bounded by what it says", async () => {
    const png = Buffer.from(await toPng(true));
    png.writeUInt32BE(60_000, 16);
    png.writeUInt32BE(60_000, 20);
    expect(() => read({ format: "16UC1; compressedDepth png", data: withHead(png) })).toThrow("60000 × 60000");
  });
});

test("a PNG of 16 bits in a compressed picture keeps them, with the unit that its format says", async () => {
  const data = new Uint8Array(await toPng(false));
  expect(read({ format: "16UC1; png compressed", data }).encoding).toBe("16UC1");
  expect(read({ format: "png", data }).encoding).toBe("mono16");
  const raw = await unpackPicture(read({ format: "png", data }));
  const at = readValues(raw);
  expect([at(1, 0), at(5, 3)]).toEqual([values[1], values[3 * width + 5]]);
});
