import { closeSync, openSync, statSync, writeSync } from "node:fs";
import sharp from "sharp";
import { noise } from "@/engine/testing/generate-recording";
import { McapFileWriter, type TestChannel } from "@/engine/testing/write-mcap";

/** Pictures of a second. */
export const pictureHz = 30;
const cloudHz = 10;
const cloudPoints = 60_000;
const [width, height] = [1280, 720];
/** The number of a picture is drawn as so many squares, black for 0 and white for 1, the highest first. */
export const numberBits = 16;
const square = width / numberBits;
/** Different pictures below the numbers, and different clouds; more would only take longer to make. */
const backgrounds = 12;
const turns = 25;
const start = 1_770_000_000_000_000_000n;

const cdr = { messageEncoding: "cdr", schemaEncoding: "ros2msg" };
const header = `std_msgs/Header header
`;
const headerType = `================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
`;
const channels: TestChannel[] = [
  {
    topic: "/camera",
    ...cdr,
    schemaName: "sensor_msgs/msg/CompressedImage",
    schema: `${header}string format\nuint8[] data\n${headerType}`,
  },
  {
    topic: "/cloud",
    ...cdr,
    schemaName: "sensor_msgs/msg/PointCloud2",
    schema: `${header}uint32 height\nuint32 width\nsensor_msgs/PointField[] fields\nbool is_bigendian\nuint32 point_step\nuint32 row_step\nuint8[] data\nbool is_dense
================================================================================
MSG: sensor_msgs/PointField
string name
uint32 offset
uint8 datatype
uint32 count
${headerType}`,
  },
  {
    topic: "/drive",
    ...cdr,
    schemaName: "test_msgs/msg/Drive",
    schema: "float64 speed\nfloat64 current\nfloat64 temperature\nfloat64 load\n",
  },
];

/** Writes CDR, little-endian; alignment counts from after the encapsulation header. */
class CdrBytes {
  private at = 4;

  constructor(private readonly bytes: Buffer) {
    bytes[1] = 1;
  }

  private align(size: number): void {
    this.at = 4 + Math.ceil((this.at - 4) / size) * size;
  }

  u8(value: number): this {
    this.at = this.bytes.writeUInt8(value, this.at);
    return this;
  }

  u32(value: number): this {
    this.align(4);
    this.at = this.bytes.writeUInt32LE(value, this.at);
    return this;
  }

  text(value: string): this {
    this.u32(value.length + 1);
    this.at += this.bytes.write(value, this.at, "latin1");
    return this.u8(0);
  }

  data(value: Uint8Array): this {
    this.u32(value.length);
    this.bytes.set(value, this.at);
    this.at += value.length;
    return this;
  }

  header(time: bigint, frame: string): this {
    return this.u32(Number(time / 1_000_000_000n))
      .u32(Number(time % 1_000_000_000n))
      .text(frame);
  }

  done(): Buffer {
    return this.bytes.subarray(0, this.at);
  }
}

function makeBackground(random: () => number): Buffer {
  const pixels = Buffer.alloc(width * height * 3);
  for (let i = 0; i < pixels.length; i++) pixels[i] = 90 + 60 * Math.sin(i / 5_000) + 26 * random();
  return pixels;
}

async function makePicture(background: Buffer, number: number): Promise<Buffer> {
  for (let bit = 0; bit < numberBits; bit++) {
    const value = (number >> (numberBits - 1 - bit)) & 1 ? 255 : 0;
    for (let y = 0; y < square; y++) {
      const at = 3 * (y * width + bit * square);
      background.fill(value, at, at + 3 * square);
    }
  }
  return sharp(background, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 60 })
    .toBuffer();
}

const toPictureMessage = (time: bigint, jpeg: Buffer): Buffer =>
  new CdrBytes(Buffer.alloc(jpeg.length + 128)).header(time, "camera").text("jpeg").data(jpeg).done();

/** The points of a room that turns: x, y, z and intensity of 60,000. */
function makePoints(turn: number, random: () => number): Uint8Array {
  const points = new Float32Array(4 * cloudPoints);
  for (let i = 0; i < cloudPoints; i++) {
    const angle = turn + (2 * Math.PI * i) / cloudPoints;
    const distance = 6 + 2 * Math.sin(5 * angle) + 0.1 * random();
    points.set([distance * Math.cos(angle), distance * Math.sin(angle), (i % 64) / 32, random()], 4 * i);
  }
  return new Uint8Array(points.buffer);
}

function toCloudMessage(time: bigint, data: Uint8Array): Buffer {
  const message = new CdrBytes(Buffer.alloc(data.length + 512)).header(time, "lidar").u32(1).u32(cloudPoints).u32(4);
  for (const [n, name] of ["x", "y", "z", "intensity"].entries())
    message
      .text(name)
      .u32(4 * n)
      .u8(7)
      .u32(1);
  return message.u8(0).u32(16).u32(data.length).data(data).u8(1).done();
}

function toDriveMessage(tick: number, random: () => number): Buffer {
  const bytes = Buffer.alloc(4 + 4 * 8);
  bytes[1] = 1;
  const values = [Math.sin(tick / 300), 2 + random(), 40 + tick / 2_000 + random(), Math.cos(tick / 90)];
  for (const [n, value] of values.entries()) bytes.writeDoubleLE(value, 4 + 8 * n);
  return bytes;
}

export interface CameraFile {
  size: number;
  seconds: number;
  /** First instant, nanoseconds since 1970. */
  start: bigint;
  /** How many pictures there are, and the mean of their messages. */
  pictures: number;
  pictureBytes: number;
  /** Of the lidar's messages in a second. */
  cloudBytesPerSecond: number;
}

/**
 * Writes a recording of a camera of 1280 × 720 pixels at 30 Hz whose pictures carry their number, a lidar of 60,000 points
 * at 10 Hz and four numbers at 100 Hz, until it has `bytes`. `plain` has no lidar, and its pictures recur, as making them takes
 * long.
 */
export async function makeCameraFile(location: string, bytes: number, { plain = false } = {}): Promise<CameraFile> {
  const random = noise(7);
  const file = openSync(location, "w");
  try {
    let written = 0;
    const sink = (part: Buffer): void => {
      for (let at = 0; at < part.length;) at += writeSync(file, part, at);
      written += part.length;
    };
    const writer = await McapFileWriter.create(sink, channels, { compression: "zstd", chunkBytes: 1024 * 1024 });
    const pictures = Array.from({ length: backgrounds }, () => makeBackground(random));
    const clouds = Array.from({ length: turns }, (_, n) => makePoints((2 * Math.PI * n) / turns, random));
    const made = new Map<number, Buffer>();
    let [tick, picture, pictureBytes] = [0, 0, 0];
    for (; written < bytes; tick++) {
      const time = start + BigInt(tick) * 10_000_000n;
      writer.add({ topic: "/drive", time, data: toDriveMessage(tick, random) });
      const cloud = (tick * cloudHz) / 100;
      if (!plain && Number.isInteger(cloud))
        writer.add({ topic: "/cloud", time, data: toCloudMessage(time, clouds[cloud % turns]!) });
      while ((picture * 100) / pictureHz < tick + 1) {
        const at = start + BigInt(Math.round((picture * 1e9) / pictureHz));
        const recurring = plain ? made.get(picture % backgrounds) : undefined;
        const jpeg = recurring ?? (await makePicture(pictures[picture % backgrounds]!, picture));
        if (plain) made.set(picture % backgrounds, jpeg);
        const data = toPictureMessage(at, jpeg);
        writer.add({ topic: "/camera", time: at, data });
        pictureBytes += data.length;
        picture += 1;
      }
    }
    writer.close();
    return {
      size: statSync(location).size,
      seconds: tick / 100,
      start,
      pictures: picture,
      pictureBytes: pictureBytes / picture,
      cloudBytesPerSecond: cloudHz * (clouds[0]?.length ?? 0),
    };
  } finally {
    closeSync(file);
  }
}
