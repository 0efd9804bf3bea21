import { describe, expect, test } from "vitest";
import { findEncoding, type RawEncoding, type RawPicture } from "@/engine/messages/pictures/picture";
import { readRawPicture } from "@/engine/messages/pictures/raw-picture";
import { findRange, readValues, writePixels } from "@/engine/messages/pictures/raw-pixels";
import { UnreadableMessage } from "@/engine/messages/reading";

const [width, height] = [6, 4];

/** Bytes that differ everywhere, the same for every test. */
const bytes = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => (at * 73 + 29 + (at >> 3) * 11) & 255);

const read = (encoding: string, change: object = {}): RawPicture =>
  readRawPicture({ width, height, encoding, step: 0, is_bigendian: 0, data: bytes(4_000), ...change });

type Colour = [red: number, green: number, blue: number, alpha: number];
function toColours(picture: RawPicture, scale: "grey" | "turbo" = "grey"): Colour[] {
  const pixels = new Uint32Array(picture.width * picture.height);
  writePixels(picture, pixels, scale, findRange(picture));
  return [...pixels].map((pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255, pixel >>> 24]);
}
/** What a formula gives for each pixel, by rows. */
const each = (colour: (x: number, y: number) => number[]): Colour[] =>
  Array.from({ length: width * height }, (_, at) => [
    ...(colour(at % width, Math.floor(at / width)) as [number, number, number]),
    255,
  ]);

const clamp = (value: number) => Math.max(0, Math.min(255, Math.round(value)));
/** BT.601 with limited range, in floating point. */
const fromYuv = (y: number, u: number, v: number): number[] => {
  const luma = 1.164 * Math.max(0, y - 16);
  return [
    clamp(luma + 1.596 * (v - 128)),
    clamp(luma - 0.813 * (v - 128) - 0.391 * (u - 128)),
    clamp(luma + 2.018 * (u - 128)),
  ];
};

describe.each([
  ["as long as their pixels", 0],
  ["padded", 5],
])("rows %s", (_, padding) => {
  const at = (data: Uint8Array, place: number) => data[place]!;
  const orders: [RawEncoding, number, [number, number, number]][] = [
    ["rgb8", 3, [0, 1, 2]],
    ["bgr8", 3, [2, 1, 0]],
    ["rgba8", 4, [0, 1, 2]],
    ["bgra8", 4, [2, 1, 0]],
    ["mono8", 1, [0, 0, 0]],
    ["rgb16", 6, [1, 3, 5]],
    ["bgr16", 6, [5, 3, 1]],
  ];
  test.each(orders)("%s", (encoding, size, places) => {
    const step = width * size + padding;
    const picture = read(encoding, { step });
    expect(toColours(picture)).toEqual(
      each((x, y) => places.map((place) => at(picture.data, y * step + x * size + place))),
    );
  });

  test.each(["rgb16", "bgr16"] as const)("%s with the higher byte first", (encoding) => {
    const step = width * 6 + padding;
    const picture = read(encoding, { step, is_bigendian: 1 });
    const places = encoding === "rgb16" ? [0, 2, 4] : [4, 2, 0];
    expect(toColours(picture)).toEqual(
      each((x, y) => places.map((place) => at(picture.data, y * step + x * 6 + place))),
    );
  });

  test.each([
    ["rggb", 0, 3],
    ["bggr", 3, 0],
    ["gbrg", 2, 1],
    ["grbg", 1, 2],
  ])("bayer_%s8 and 16", (filter, red, blue) => {
    for (const [bits, size] of [
      [8, 1],
      [16, 2],
    ] as const) {
      const step = width * size + padding;
      const picture = read(`bayer_${filter}${bits}`, { step });
      const expected = each((x, y) => {
        const block = [0, 1, 2, 3].map((n) => {
          const [column, row] = [(x & ~1) + (n & 1), (y & ~1) + (n >> 1)];
          return at(picture.data, row * step + column * size + (size - 1));
        });
        const greens = block.filter((_, n) => n !== red && n !== blue);
        return [block[red]!, (greens[0]! + greens[1]!) >> 1, block[blue]!];
      });
      expect(toColours(picture)).toEqual(expected);
    }
  });

  const planes: [string, (data: Uint8Array, step: number, x: number, y: number) => [number, number, number]][] = [
    [
      "nv12",
      (d, s, x, y) => {
        const c = s * height + (y >> 1) * s + (x & ~1);
        return [at(d, y * s + x), at(d, c), at(d, c + 1)];
      },
    ],
    [
      "nv21",
      (d, s, x, y) => {
        const c = s * height + (y >> 1) * s + (x & ~1);
        return [at(d, y * s + x), at(d, c + 1), at(d, c)];
      },
    ],
    [
      "nv24",
      (d, s, x, y) => {
        const c = s * height + y * s * 2 + x * 2;
        return [at(d, y * s + x), at(d, c), at(d, c + 1)];
      },
    ],
    [
      "i420",
      (d, s, x, y) => {
        const half = s >> 1;
        const c = s * height + (y >> 1) * half + (x >> 1);
        return [at(d, y * s + x), at(d, c), at(d, c + half * (height / 2))];
      },
    ],
    [
      "yv12",
      (d, s, x, y) => {
        const half = s >> 1;
        const c = s * height + (y >> 1) * half + (x >> 1);
        return [at(d, y * s + x), at(d, c + half * (height / 2)), at(d, c)];
      },
    ],
    [
      "yuv422",
      (d, s, x, y) => {
        const c = y * s + (x & ~1) * 2;
        return [at(d, y * s + x * 2 + 1), at(d, c), at(d, c + 2)];
      },
    ],
    [
      "yuv422_yuy2",
      (d, s, x, y) => {
        const c = y * s + (x & ~1) * 2;
        return [at(d, y * s + x * 2), at(d, c + 1), at(d, c + 3)];
      },
    ],
  ];
  test.each(planes)("%s", (encoding, find) => {
    const step = width * (encoding.startsWith("yuv422") ? 2 : 1) + padding * 2;
    const picture = read(encoding, { step });
    const expected = each((x, y) => fromYuv(...find(picture.data, step, x, y)));
    toColours(picture).forEach((colour, pixel) =>
      colour.forEach((part, n) => expect(Math.abs(part - expected[pixel]![n]!)).toBeLessThanOrEqual(1)),
    );
  });

  test.each([
    ["16UC1", 2, (view: DataView, place: number, little: boolean) => view.getUint16(place, little)],
    ["16SC1", 2, (view: DataView, place: number, little: boolean) => view.getInt16(place, little)],
    ["mono16", 2, (view: DataView, place: number, little: boolean) => view.getUint16(place, little)],
    ["32FC1", 4, (view: DataView, place: number, little: boolean) => view.getFloat32(place, little)],
    ["64FC1", 8, (view: DataView, place: number, little: boolean) => view.getFloat64(place, little)],
  ] as const)("values of %s in both byte orders", (encoding, size, value) => {
    const step = width * size + padding;
    for (const bigEndian of [false, true]) {
      const picture = read(encoding, { step, is_bigendian: bigEndian });
      const view = new DataView(picture.data.buffer, picture.data.byteOffset);
      const values = readValues(picture);
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) expect(values(x, y)).toEqual(value(view, y * step + x * size, !bigEndian));
    }
  });
});

describe("depth", () => {
  const metres = (values: number[]): RawPicture =>
    readRawPicture({
      width: values.length,
      height: 1,
      encoding: "32FC1",
      step: values.length * 4,
      data: new Uint8Array(Float32Array.from(values).buffer),
    });

  test("is coloured over the range of most of its values, and nothing where it was not measured", () => {
    const values = Array.from({ length: 700 }, (_, at) => 1 + at / 100);
    values[350] = NaN;
    values[351] = Infinity;
    const picture = metres(values);
    const { min, max } = findRange(picture);
    expect([min > 1 && min < 1.3, max > 7.6 && max < 8]).toEqual([true, true]);
    const colours = toColours(picture, "turbo");
    expect(colours[350]).toEqual([0, 0, 0, 0]);
    expect(colours[0]).toEqual([48, 18, 59, 255]);
    expect([colours[699], colours[351]]).toEqual([
      [122, 4, 3, 255],
      [122, 4, 3, 255],
    ]);
  });

  test("in millimetres is none where it is 0", () => {
    const data = new Uint8Array(Uint16Array.from([0, 500, 1_500]).buffer);
    const picture = readRawPicture({ width: 3, height: 1, encoding: "16UC1", step: 6, data });
    expect(toColours(picture).map(([, , , alpha]) => alpha)).toEqual([0, 255, 255]);
  });

  test("of one value, and of none, is drawn", () => {
    expect(findRange(metres([3, 3, 3]))).toEqual({ min: 3, max: 4 });
    expect(findRange(metres([NaN, NaN]))).toEqual({ min: 0, max: 1 });
  });
});

test.each([
  ["8UC1", "mono8"],
  ["UYVY", "yuv422"],
  ["yuy2", "yuv422_yuy2"],
  ["yuv420", "i420"],
  ["YUV420p", "i420"],
  ["IYUV", "i420"],
  ["YV12", "yv12"],
  ["32fc1", "32FC1"],
  ["bayer_xtrans", null],
])("the encoding %s is %s", (name, encoding) => {
  expect(findEncoding(name)).toBe(encoding);
});

test("planes of chroma of an odd size have a pixel for what is left at the edges", () => {
  const [odd, rows] = [5, 3];
  const data = Uint8Array.from({ length: odd * rows + 2 * 6 }, (_, at) => (at < 15 ? 120 : at < 21 ? 90 : 200));
  const colours = toColours(read("yuv420", { width: odd, height: rows, data }));
  const expected = fromYuv(120, 90, 200);
  for (const colour of colours) colour.slice(0, 3).forEach((part, n) => expect(part).toBeCloseTo(expected[n]!, -0.5));
  expect(toColours(read("yv12", { width: odd, height: rows, data }))).not.toEqual(colours);
});

test("bytes may be base64, as in JSON, or a list of numbers", () => {
  const data = bytes(width * height);
  const expected = toColours(read("mono8", { data }));
  expect(toColours(read("mono8", { data: Buffer.from(data).toString("base64") }))).toEqual(expected);
  expect(toColours(read("mono8", { data: [...data] }))).toEqual(expected);
});

test.each<[string, object, string]>([
  ["too few bytes", { data: bytes(20) }, "The message says 6 × 4 rgb8 (72 bytes) but carries 20."],
  ["a step shorter than a row", { step: 17 }, 'The field "step" is 17; a row of 6 pixels of rgb8 takes 18 bytes.'],
  ["an unknown encoding", { encoding: "bayer_xtrans" }, 'The encoding "bayer_xtrans" is not known.'],
  ["no pixels", { width: 0 }, "The picture has no pixels: 0 × 4."],
  ["more than can be shown", { width: 100_000, height: 100_000 }, "at most 100 megapixels are shown"],
  ["a size that is no number", { width: "wide" }, 'The field "width" is not a number.'],
  ["no data", { data: null }, 'The field "data" holds no bytes.'],
  ["data that is not base64", { data: "!" }, 'The field "data" is not base64.'],
])("a message with %s says so", (_, change, reason) => {
  expect(() => read("rgb8", change)).toThrow(UnreadableMessage);
  expect(() => read("rgb8", change)).toThrow(reason);
});
