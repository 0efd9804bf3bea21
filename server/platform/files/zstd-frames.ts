import { toDataView } from "@/engine/bytes";
import { CompressedBeyond, CompressedDamage } from "@/server/platform/files/compressed-damage";

const frameMagic = 0xfd2fb528;
/** The magic of frames that hold what is no data; the last four bits are free. */
const skippableMagic = 0x184d2a50;
const maxBlockBytes = 128 * 1024;

/** One frame of zstd with the most bytes that it can hold. */
export interface ZstdFrame {
  bytes: Uint8Array;
  maxContentBytes: number;
}

/** The bytes of a stream, taken in parts of any length. */
class Taken {
  private readonly pieces: AsyncIterator<Uint8Array>;
  private held: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.pieces = source[Symbol.asyncIterator]();
  }

  /** The next `length` bytes; fewer only at the end. */
  async take(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let missing = length; missing > 0;) {
      if (this.held.length === 0) {
        const next = await this.pieces.next();
        if (next.done) break;
        this.held = next.value;
      }
      const part = this.held.subarray(0, missing);
      this.held = this.held.subarray(part.length);
      missing -= part.length;
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  async takeAll(length: number): Promise<Uint8Array> {
    const bytes = await this.take(length);
    if (bytes.length < length) throw new CompressedDamage("The zstd stream is cut off.");
    return bytes;
  }

  async close(): Promise<void> {
    await this.pieces.return?.();
  }
}

/**
 * The frames of a zstd stream, whole: for decoders that take no streams. Throws a CompressedBeyond for a frame of more than
 * `maxBytes`, compressed or not, and a CompressedDamage where the next frame does not begin or end.
 */
export async function* zstdFrames(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<ZstdFrame> {
  const stream = new Taken(source);
  try {
    for (;;) {
      const start = await stream.take(4);
      if (start.length === 0) return;
      const magic = start.length < 4 ? 0 : toDataView(start).getUint32(0, true);
      if ((magic & ~15) >>> 0 === skippableMagic) {
        let left = toDataView(await stream.takeAll(4)).getUint32(0, true);
        for (; left > 0; left -= Math.min(left, maxBlockBytes)) await stream.takeAll(Math.min(left, maxBlockBytes));
      } else if (magic === frameMagic) yield await readFrame(stream, start, maxBytes);
      else throw new CompressedDamage("What follows a zstd frame is none.");
    }
  } finally {
    await stream.close();
  }
}

async function readFrame(stream: Taken, start: Uint8Array, maxBytes: number): Promise<ZstdFrame> {
  const descriptor = await stream.takeAll(1);
  const flags = descriptor[0]!;
  const single = (flags & 0x20) !== 0;
  const sizeBytes = [single ? 1 : 0, 2, 4, 8][flags >> 6]!;
  const parts = [start, descriptor, await stream.takeAll((single ? 0 : 1) + [0, 1, 2, 4][flags & 3]! + sizeBytes)];
  let compressed = 0;
  let content = 0;
  for (let isLast = false; !isLast;) {
    const header = await stream.takeAll(3);
    const value = header[0]! | (header[1]! << 8) | (header[2]! << 16);
    const [type, size] = [(value >> 1) & 3, value >> 3];
    if (type === 3 || size > maxBlockBytes) throw new CompressedDamage("A block of a zstd frame is damaged.");
    isLast = (value & 1) !== 0;
    // Raw, or one byte that is repeated; of others only the limit is known.
    content += type === 2 ? maxBlockBytes : size;
    compressed += 3 + size;
    if (content > maxBytes || compressed > maxBytes) {
      throw new CompressedBeyond(
        "is a zstd file in pieces larger than this installation decompresses: its operator can compile zstd-napi for it",
      );
    }
    parts.push(header, await stream.takeAll(type === 1 ? 1 : size));
  }
  if ((flags & 4) !== 0) parts.push(await stream.takeAll(4));
  return { bytes: Buffer.concat(parts), maxContentBytes: content };
}
