/**
 * Compresses bytes to one LZ4 frame with a plain greedy search for repeats. It is slow and compresses poorly, but its
 * output exercises every part of a decoder; `stored` writes uncompressed blocks instead.
 */
export function compressLz4(data: Uint8Array, options: { stored?: boolean } = {}): Buffer {
  const parts: Buffer[] = [Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73])];
  const blockBytes = 4 * 1024 * 1024;
  for (let at = 0; at < data.length; at += blockBytes) {
    const plain = Buffer.from(data.subarray(at, at + blockBytes));
    const compressed = options.stored === true ? plain : compressBlock(plain);
    const stored = compressed.length >= plain.length;
    const header = Buffer.alloc(4);
    header.writeUInt32LE(stored ? (plain.length | 0x8000_0000) >>> 0 : compressed.length);
    parts.push(header, stored ? plain : compressed);
  }
  parts.push(Buffer.alloc(4));
  return Buffer.concat(parts);
}

function compressBlock(data: Buffer): Buffer {
  const out: number[] = [];
  const seen = new Map<number, number>();
  // The format requires the last bytes of a block as literals.
  const matchLimit = data.length - 12;
  let literalsFrom = 0;
  let at = 0;
  while (at < matchLimit) {
    const key = data.readUInt32LE(at);
    const candidate = seen.get(key);
    seen.set(key, at);
    if (candidate === undefined || at - candidate > 0xffff) {
      at += 1;
      continue;
    }
    let length = 4;
    while (at + length < data.length - 5 && data[candidate + length] === data[at + length]) length += 1;
    writeSequence(out, data.subarray(literalsFrom, at), at - candidate, length);
    at += length;
    literalsFrom = at;
  }
  writeSequence(out, data.subarray(literalsFrom), 0, 0);
  return Buffer.from(out);
}

function writeSequence(out: number[], literals: Buffer, distance: number, length: number): void {
  const extra = length - 4;
  out.push((Math.min(15, literals.length) << 4) | (length === 0 ? 0 : Math.min(15, extra)));
  writeLength(out, literals.length);
  for (const byte of literals) out.push(byte);
  if (length === 0) return;
  out.push(distance & 0xff, distance >> 8);
  writeLength(out, extra);
}

function writeLength(out: number[], length: number): void {
  if (length < 15) return;
  let rest = length - 15;
  for (; rest >= 255; rest -= 255) out.push(255);
  out.push(rest);
}
