import { once } from "node:events";
import { crc32, createDeflate } from "node:zlib";

/** Pixels of a picture of numbers that have one. */
export interface NumberedArea {
  id: number;
  /** Parts of columns, three numbers each: the column, its first row and the first row below. */
  segments: ArrayLike<number>;
}

/** Parts of columns, of which a picture may have as many as pixels: in as little memory as they can be. */
export class SegmentList {
  private numbers = new Int32Array(12);
  private length = 0;

  add(x: number, from: number, to: number): void {
    if (this.length === this.numbers.length) {
      const longer = new Int32Array(2 * this.length);
      longer.set(this.numbers);
      this.numbers = longer;
    }
    this.numbers.set([x, from, to], this.length);
    this.length += 3;
  }

  toArray = (): Int32Array => this.numbers.subarray(0, this.length);
}

interface Size {
  width: number;
  height: number;
}

/** Bytes of the rows that are drawn at a time: memory does not grow with the picture. */
const bandBytes = 16 * 1024 * 1024;

function makeChunk(name: string, data: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(data.length);
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([head, named, check]);
}

function describe({ width, height }: Size): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits each of red, green and blue, without interlacing.
  header.set([8, 2, 0, 0, 0], 8);
  return header;
}

/** The rows from one to another, each behind the byte that says that it is not filtered. */
function drawBand(areas: readonly NumberedArea[], width: number, top: number, bottom: number): Buffer {
  const stride = 1 + 3 * width;
  const band = Buffer.alloc((bottom - top) * stride);
  for (const { id, segments } of areas) {
    const [red, green, blue] = [id & 255, (id >> 8) & 255, (id >> 16) & 255];
    for (let segment = 0; segment < segments.length; segment += 3) {
      const x = segments[segment] ?? 0;
      const last = Math.min(segments[segment + 2] ?? 0, bottom);
      for (let y = Math.max(segments[segment + 1] ?? 0, top); y < last; y++) {
        const at = (y - top) * stride + 1 + 3 * x;
        band[at] = red;
        band[at + 1] = green;
        band[at + 2] = blue;
      }
    }
  }
  return band;
}

/** A picture of numbers as panopticapi reads it: red + 256 green + 65,536 blue, 0 where there is none. */
export async function encodeNumbers(areas: readonly NumberedArea[], { width, height }: Size): Promise<Buffer> {
  const deflate = createDeflate({ level: 3 });
  const parts: Buffer[] = [];
  deflate.on("data", (part: Buffer) => void parts.push(part));
  const ended = once(deflate, "end");
  const rows = Math.max(1, Math.floor(bandBytes / (1 + 3 * width)));
  for (let top = 0; top < height; top += rows)
    if (!deflate.write(drawBand(areas, width, top, Math.min(height, top + rows)))) await once(deflate, "drain");
  deflate.end();
  await ended;
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    makeChunk("IHDR", describe({ width, height })),
    makeChunk("IDAT", Buffer.concat(parts)),
    makeChunk("IEND", new Uint8Array(0)),
  ]);
}
