/** Pixels as a camera's driver wrote them. */
export interface RawPicture {
  kind: "raw";
  width: number;
  height: number;
  encoding: RawEncoding;
  /** Bytes from one row to the next. */
  step: number;
  bigEndian: boolean;
  data: Uint8Array;
}

/** A file of pixels that browsers and libraries decode. */
export interface CompressedPicture {
  kind: "compressed";
  mediaType: "image/jpeg" | "image/png" | "image/webp" | "image/avif";
  data: Uint8Array;
}

/** Values of 16 bits, losslessly compressed, of which browsers would show eight: depth, or brightness. */
export interface PackedPicture {
  kind: "packed";
  form: "png" | "rvl";
  width: number;
  height: number;
  encoding: "16UC1" | "32FC1" | "mono16";
  /** Depth in metres is `a` ÷ (value − `b`) for 32FC1. */
  quantization: { a: number; b: number };
  data: Uint8Array;
}

export type Picture = RawPicture | CompressedPicture | PackedPicture;

/** How the pixels of an encoding are stored, and what they mean. */
interface Layout {
  /** Of pixels: the order of 8-bit or 16-bit colours, one value, a colour filter, or chroma apart from luma. */
  kind: "colour" | "value" | "bayer" | "yuv";
  /** Bytes of a pixel in a row; of the first plane where there are several. */
  bytes: number;
  /** Rows of `step` bytes for each row of pixels, planes of chroma included. */
  rows: number;
}

/** The encodings of sensor_msgs/Image and foxglove.RawImage. */
const layouts = {
  rgb8: { kind: "colour", bytes: 3, rows: 1 },
  bgr8: { kind: "colour", bytes: 3, rows: 1 },
  rgba8: { kind: "colour", bytes: 4, rows: 1 },
  bgra8: { kind: "colour", bytes: 4, rows: 1 },
  rgb16: { kind: "colour", bytes: 6, rows: 1 },
  bgr16: { kind: "colour", bytes: 6, rows: 1 },
  mono8: { kind: "colour", bytes: 1, rows: 1 },
  mono16: { kind: "value", bytes: 2, rows: 1 },
  "16SC1": { kind: "value", bytes: 2, rows: 1 },
  "16UC1": { kind: "value", bytes: 2, rows: 1 },
  "32FC1": { kind: "value", bytes: 4, rows: 1 },
  "64FC1": { kind: "value", bytes: 8, rows: 1 },
  bayer_rggb8: { kind: "bayer", bytes: 1, rows: 1 },
  bayer_bggr8: { kind: "bayer", bytes: 1, rows: 1 },
  bayer_gbrg8: { kind: "bayer", bytes: 1, rows: 1 },
  bayer_grbg8: { kind: "bayer", bytes: 1, rows: 1 },
  bayer_rggb16: { kind: "bayer", bytes: 2, rows: 1 },
  bayer_bggr16: { kind: "bayer", bytes: 2, rows: 1 },
  bayer_gbrg16: { kind: "bayer", bytes: 2, rows: 1 },
  bayer_grbg16: { kind: "bayer", bytes: 2, rows: 1 },
  yuv422: { kind: "yuv", bytes: 2, rows: 1 },
  yuv422_yuy2: { kind: "yuv", bytes: 2, rows: 1 },
  nv12: { kind: "yuv", bytes: 1, rows: 1.5 },
  nv21: { kind: "yuv", bytes: 1, rows: 1.5 },
  nv24: { kind: "yuv", bytes: 1, rows: 3 },
  i420: { kind: "yuv", bytes: 1, rows: 1.5 },
  yv12: { kind: "yuv", bytes: 1, rows: 1.5 },
} as const satisfies Record<string, Layout>;

export type RawEncoding = keyof typeof layouts;
export const getLayout = (encoding: RawEncoding): Layout => layouts[encoding];

/** Other names of the same encodings. */
const aliases: Readonly<Record<string, RawEncoding>> = {
  "8uc1": "mono8",
  "8uc3": "bgr8",
  "8uc4": "bgra8",
  uyvy: "yuv422",
  yuyv: "yuv422_yuy2",
  yuy2: "yuv422_yuy2",
  yuv420: "i420",
  yuv420p: "i420",
  yuv420_i420: "i420",
  iyuv: "i420",
  yu12: "i420",
  yuv420_yv12: "yv12",
  yuv420_nv12: "nv12",
  yuv420_nv21: "nv21",
  yuv420sp: "nv21",
};

const byName = new Map<string, RawEncoding>([
  ...(Object.keys(layouts) as RawEncoding[]).map((name) => [name.toLowerCase(), name] as const),
  ...Object.entries(aliases),
]);

/** The encoding of a name; null for an unknown one. */
export const findEncoding = (name: string): RawEncoding | null => byName.get(name.toLowerCase()) ?? null;
