import { latin1Text, toDataView } from "@/engine/bytes";
import { UnreadableMessage } from "@/engine/messages/reading";

export const isPng = (data: Uint8Array): boolean => latin1Text(data.subarray(0, 8)) === "\x89PNG\r\n\x1a\n";

interface PngHead {
  width: number;
  height: number;
  /** Bits of a value. */
  depth: number;
  /** 0: one value a pixel. */
  colour: number;
  interlaced: boolean;
}

export function readPngHead(data: Uint8Array): PngHead {
  const view = toDataView(data);
  if (data.length < 29) throw new UnreadableMessage("The PNG is cut.");
  return {
    width: view.getUint32(16),
    height: view.getUint32(20),
    depth: view.getUint8(24),
    colour: view.getUint8(25),
    interlaced: view.getUint8(28) !== 0,
  };
}

/**
 * The values of a PNG of 16 bits of one value, the higher byte first. Decompresses no more than its size says. Throws
 * UnreadableMessage when it is damaged.
 */
export async function inflatePng(data: Uint8Array): Promise<Uint8Array> {
  const { width, height, interlaced } = readPngHead(data);
  if (interlaced) throw new UnreadableMessage("Interlaced PNGs of 16 bits cannot be shown.");
  const rowBytes = width * 2;
  const rows = await inflate(listParts(data), height * (1 + rowBytes));
  return removeFilters(rows, rowBytes, height);
}

/** The compressed bytes, in the order of their chunks. */
function listParts(data: Uint8Array): Uint8Array<ArrayBuffer>[] {
  const view = toDataView(data);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 8; at + 12 <= data.length;) {
    const length = view.getUint32(at);
    const name = latin1Text(data.subarray(at + 4, at + 8));
    if (name === "IEND") break;
    if (name === "IDAT") parts.push(new Uint8Array(data.subarray(at + 8, at + 8 + length)));
    at += 12 + length;
  }
  return parts;
}

async function inflate(parts: Uint8Array<ArrayBuffer>[], size: number): Promise<Uint8Array> {
  const reader = new Blob(parts).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  const all = new Uint8Array(size);
  let filled = 0;
  try {
    while (filled < size) {
      const { done, value } = await reader.read();
      if (done) break;
      all.set(value.subarray(0, size - filled), filled);
      filled += value.length;
    }
  } catch {
    throw new UnreadableMessage("The PNG is damaged.");
  } finally {
    await reader.cancel().catch(() => {}); // the stream has failed already
  }
  if (filled < size) throw new UnreadableMessage("The PNG is cut.");
  return all;
}

/** Bytes from a value to the same byte of the one before it. */
const valueBytes = 2;

/** Adds to every byte what its row's filter predicts from its neighbours. */
function removeFilters(rows: Uint8Array, rowBytes: number, height: number): Uint8Array {
  const out = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y++) {
    const from = y * (rowBytes + 1);
    const to = y * rowBytes;
    const filter = rows[from]!;
    if (filter > 4) throw new UnreadableMessage("The PNG is damaged.");
    for (let x = 0; x < rowBytes; x++) {
      const left = x >= valueBytes ? out[to + x - valueBytes]! : 0;
      const up = y > 0 ? out[to - rowBytes + x]! : 0;
      const corner = x >= valueBytes && y > 0 ? out[to - rowBytes + x - valueBytes]! : 0;
      out[to + x] = rows[from + 1 + x]! + predict(filter, left, up, corner);
    }
  }
  return out;
}

function predict(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    default: {
      const sum = left + up - corner;
      const [toLeft, toUp, toCorner] = [Math.abs(sum - left), Math.abs(sum - up), Math.abs(sum - corner)];
      return toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner;
    }
  }
}
