import sharp, { type Sharp } from "sharp";

/** Of the picture that every row carries, in pixels: squares of one colour, so that a row's chroma and filters fit. */
export const pictureSize = { width: 32, height: 24 } as const;
const { width, height } = pictureSize;
const square = 8;

type Rgb = readonly [red: number, green: number, blue: number];

const colours: readonly Rgb[] = [
  [250, 20, 30],
  [20, 230, 40],
  [30, 40, 240],
  [240, 240, 20],
  [20, 220, 230],
  [230, 30, 220],
  [255, 255, 255],
  [0, 0, 0],
  [128, 128, 128],
  [200, 100, 50],
  [50, 100, 200],
  [90, 160, 70],
];

const colourAt = (x: number, y: number): Rgb =>
  colours[Math.floor(y / square) * (width / square) + Math.floor(x / square)] ?? colours[0]!;

/** The picture as rows of red, green and blue. */
export const pixels = Buffer.from(
  Array.from({ length: width * height }, (_, at) => [...colourAt(at % width, Math.floor(at / width))]).flat(),
);

/** The middle of each square of the picture. */
export const middles = colours.map((colour, n) => ({
  colour,
  x: (n % (width / square)) * square + square / 2,
  y: Math.floor(n / (width / square)) * square + square / 2,
}));

const luma = ([red, green, blue]: Rgb): number => 0.299 * red + 0.587 * green + 0.114 * blue;
const grey = (colour: Rgb): Rgb => [luma(colour), luma(colour), luma(colour)];

/** By ITU-R BT.601, with 16 to 235 for black to white. */
const toYuv = (colour: Rgb): Rgb => [
  16 + (luma(colour) * 219) / 255,
  128 + ((colour[2] - luma(colour)) * 112) / (255 * 0.886),
  128 + ((colour[0] - luma(colour)) * 112) / (255 * 0.701),
];

/** The bytes of one row after another. */
const byRows = (columns: number, rows: number, bytes: (x: number, y: number) => readonly number[]): Buffer =>
  Buffer.from(
    Array.from({ length: columns * rows }, (_, at) => bytes(at % columns, Math.floor(at / columns)))
      .flat()
      .map(Math.round),
  );

const ofColours = (encode: (colour: Rgb) => readonly number[]) => (): Buffer =>
  byRows(width, height, (x, y) => encode(colourAt(x, y)));

const wide = (value: number): [number, number] => [0, value];

const ofFilter = (filter: string, bytes: (value: number) => readonly number[]) => (): Buffer =>
  byRows(width, height, (x, y) => {
    const part = filter[(y % 2) * 2 + (x % 2)]!;
    return bytes(colourAt(x, y)["rgb".indexOf(part)]!);
  });

/** Two pixels share their chroma; `order` of Y, U, Y, V. */
const ofPairs = (order: string) => (): Buffer =>
  byRows(width / 2, height, (pair, y) => {
    const [luma0, u, v] = toYuv(colourAt(pair * 2, y));
    const [luma1] = toYuv(colourAt(pair * 2 + 1, y));
    let isSecond = false;
    return [...order].map((part) => {
      if (part === "u") return u;
      if (part === "v") return v;
      const value = isSecond ? luma1 : luma0;
      isSecond = true;
      return value;
    });
  });

const lumaPlane = (): Buffer => byRows(width, height, (x, y) => [toYuv(colourAt(x, y))[0]]);
const halves = (parts: readonly (1 | 2)[]) => (): Buffer =>
  byRows(width / 2, height / 2, (x, y) => parts.map((part) => toYuv(colourAt(x * 2, y * 2))[part]));

/** Near on the left, far on the right. */
const ofValues =
  (bytes: number, write: (data: Buffer, value: number, at: number) => void, unit: number) => (): Buffer => {
    const data = Buffer.alloc(width * height * bytes);
    for (let at = 0; at < width * height; at++) write(data, (at % width < width / 2 ? 1 : 3) * unit, at * bytes);
    return data;
  };

export interface PictureRow {
  encoding: string;
  /** Bytes from row to row; more than the pixels take where rows are padded. */
  step: number;
  isBigEndian: boolean;
  data: Buffer;
  /** What the middle of a square is drawn as. */
  drawn: "colours" | "grey" | "near and far";
}

const row = (
  encoding: string,
  step: number,
  make: () => Buffer,
  { isBigEndian = false, drawn = "colours" }: Partial<Pick<PictureRow, "isBigEndian" | "drawn">> = {},
): PictureRow => ({ encoding, step, isBigEndian, drawn, data: make() });

/** The rows of a picture with bytes between them. */
function pad({ step, data, ...rest }: PictureRow, bytes: number): PictureRow {
  const rows = Array.from({ length: data.length / step }, (_, y) => data.subarray(y * step, (y + 1) * step));
  return {
    ...rest,
    step: step + bytes,
    data: Buffer.concat(rows.flatMap((each) => [each, Buffer.alloc(bytes, 0xaa)])),
  };
}

const filters = ["rggb", "bggr", "gbrg", "grbg"] as const;

/** Every encoding of sensor_msgs/Image and foxglove.RawImage, a message each. */
export const rawRows: readonly PictureRow[] = [
  row(
    "rgb8",
    width * 3,
    ofColours((colour) => colour),
  ),
  pad(
    row(
      "rgb8",
      width * 3,
      ofColours((colour) => colour),
    ),
    5,
  ),
  row(
    "bgr8",
    width * 3,
    ofColours(([red, green, blue]) => [blue, green, red]),
  ),
  row(
    "8UC3",
    width * 3,
    ofColours(([red, green, blue]) => [blue, green, red]),
  ),
  row(
    "rgba8",
    width * 4,
    ofColours((colour) => [...colour, 255]),
  ),
  row(
    "bgra8",
    width * 4,
    ofColours(([red, green, blue]) => [blue, green, red, 255]),
  ),
  row(
    "8UC4",
    width * 4,
    ofColours(([red, green, blue]) => [blue, green, red, 255]),
  ),
  row(
    "mono8",
    width,
    ofColours((colour) => [luma(colour)]),
    { drawn: "grey" },
  ),
  row(
    "8UC1",
    width,
    ofColours((colour) => [luma(colour)]),
    { drawn: "grey" },
  ),
  row(
    "rgb16",
    width * 6,
    ofColours((colour) => colour.flatMap(wide)),
  ),
  row(
    "rgb16",
    width * 6,
    ofColours((colour) => colour.flatMap((value) => [value, 0])),
    { isBigEndian: true },
  ),
  row(
    "bgr16",
    width * 6,
    ofColours(([red, green, blue]) => [blue, green, red].flatMap(wide)),
  ),
  ...filters.map((filter) =>
    row(
      `bayer_${filter}8`,
      width,
      ofFilter(filter, (value) => [value]),
    ),
  ),
  ...filters.map((filter) => row(`bayer_${filter}16`, width * 2, ofFilter(filter, wide))),
  row("yuv422", width * 2, ofPairs("uyvy")),
  row("uyvy", width * 2, ofPairs("uyvy")),
  row("yuv422_yuy2", width * 2, ofPairs("yuyv")),
  row("yuyv", width * 2, ofPairs("yuyv")),
  row("nv12", width, () => Buffer.concat([lumaPlane(), halves([1, 2])()])),
  row("nv21", width, () => Buffer.concat([lumaPlane(), halves([2, 1])()])),
  row("nv24", width, () =>
    Buffer.concat([lumaPlane(), byRows(width, height, (x, y) => toYuv(colourAt(x, y)).slice(1))]),
  ),
  row("i420", width, () => Buffer.concat([lumaPlane(), halves([1])(), halves([2])()])),
  row(
    "16UC1",
    width * 2,
    ofValues(2, (data, value, at) => data.writeUInt16LE(value, at), 1_000),
    { drawn: "near and far" },
  ),
  row(
    "16UC1",
    width * 2,
    ofValues(2, (data, value, at) => data.writeUInt16BE(value, at), 1_000),
    {
      drawn: "near and far",
      isBigEndian: true,
    },
  ),
  row(
    "16SC1",
    width * 2,
    ofValues(2, (data, value, at) => data.writeInt16LE(value, at), -1_000),
    { drawn: "near and far" },
  ),
  row(
    "32FC1",
    width * 4,
    ofValues(4, (data, value, at) => data.writeFloatLE(value, at), 0.5),
    { drawn: "near and far" },
  ),
  row(
    "64FC1",
    width * 8,
    ofValues(8, (data, value, at) => data.writeDoubleLE(value, at), 0.5),
    { drawn: "near and far" },
  ),
];

/** The ends of Google's colour map Turbo. */
const [turboLow, turboHigh]: [Rgb, Rgb] = [
  [48, 18, 59],
  [122, 4, 3],
];

/** What the middles of the squares of a row are drawn as, in the order of `middles`. */
export function expectRow({ drawn, encoding }: PictureRow): Rgb[] {
  return middles.map(({ colour, x }) => {
    if (drawn === "colours") return colour;
    if (drawn === "grey") return grey(colour);
    // Negative values lie the other way round.
    return x < width / 2 === (encoding !== "16SC1") ? turboLow : turboHigh;
  });
}

export interface FileRow {
  format: string;
  data: Buffer;
}

const encode = (): Sharp => sharp(pixels, { raw: { ...pictureSize, channels: 3 } });

/** The picture in every form of compressed pictures, named as drivers do. */
export const makeFileRows = async (): Promise<FileRow[]> => [
  { format: "jpeg", data: await encode().jpeg({ quality: 95, chromaSubsampling: "4:4:4" }).toBuffer() },
  { format: "rgb8; jpeg compressed bgr8", data: await encode().jpeg({ quality: 80 }).toBuffer() },
  { format: "png", data: await encode().png().toBuffer() },
  { format: "image/png", data: await encode().png({ palette: true }).toBuffer() },
  { format: "webp", data: await encode().webp({ lossless: true }).toBuffer() },
  // A camera that says it lay on its side: pixels stay where they are.
  { format: "jpeg", data: await encode().jpeg({ quality: 95 }).withMetadata({ orientation: 6 }).toBuffer() },
  { format: "avif", data: await encode().avif({ lossless: true, chromaSubsampling: "4:4:4" }).toBuffer() },
];

/** What sharp makes of a file: red, green and blue of each pixel. */
export const decodeFile = async (data: Uint8Array): Promise<number[]> => [
  ...(await sharp(data).removeAlpha().toColourspace("srgb").raw().toBuffer()),
];
