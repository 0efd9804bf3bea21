import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

/**
 * Archives as POSIX tar (ustar) has them, so that any tar lists and unpacks them: regular files only, read and written
 * in order.
 */

const block = 512;
const readBytes = 256 * 1024;
/** Sizes of 8 GiB and more do not fit ustar's octal digits; GNU's base-256 form, which all know, holds them. */
const mostOctal = 0o77777777777;

function header(name: string, size: number): Buffer {
  const bytes = Buffer.alloc(block);
  const cut = name.length <= 100 ? -1 : name.lastIndexOf("/", 155);
  const [prefix, rest] = cut < 0 ? ["", name] : [name.slice(0, cut), name.slice(cut + 1)];
  if (Buffer.byteLength(rest) > 100 || Buffer.byteLength(prefix) > 155)
    throw new Error(`the name ${name} is too long for an archive`);
  const octal = (value: number, at: number, width: number) =>
    bytes.write(value.toString(8).padStart(width - 1, "0"), at);
  bytes.write(rest, 0);
  octal(0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  if (size <= mostOctal) octal(size, 124, 12);
  else {
    bytes[124] = 0x80;
    bytes.writeBigUInt64BE(BigInt(size), 128);
  }
  octal(0, 136, 12);
  bytes.write("        0", 148);
  bytes.write("ustar\u000000", 257);
  bytes.write(prefix, 345);
  bytes.write(`${sumOf(bytes).toString(8).padStart(6, "0")}\0 `, 148);
  return bytes;
}

/** A header's own checksum, which counts its eight bytes as blanks. */
const sumOf = (head: Buffer): number =>
  head.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);

const padding = (size: number): number => (block - (size % block)) % block;

/** Writes an archive; remembers the SHA-256 of every entry in `sums`. */
export class TarWriter {
  readonly sums = new Map<string, string>();
  private position = 0;

  constructor(private readonly file: FileHandle) {}

  /** Adds an entry of exactly `size` bytes. Throws when the source holds more or fewer. */
  async add(name: string, size: number, source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    await this.write(header(name, size));
    const hash = createHash("sha256");
    let written = 0;
    for await (const chunk of source) {
      written += chunk.length;
      if (written > size) break;
      hash.update(chunk);
      await this.write(chunk);
    }
    if (written !== size)
      throw new Error(`${name} was to have ${size} bytes and has ${written > size ? "more" : written}`);
    await this.write(Buffer.alloc(padding(size)));
    this.sums.set(name, hash.digest("hex"));
  }

  addText = (name: string, text: string): Promise<void> => {
    const bytes = Buffer.from(text);
    return this.add(name, bytes.length, [bytes]);
  };

  /** Ends the archive and brings it to the disk. Resolves to its size. */
  async close(): Promise<number> {
    await this.write(Buffer.alloc(2 * block));
    await this.file.sync();
    return this.position;
  }

  private async write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      done += (await this.file.write(bytes, done, bytes.length - done, this.position + done)).bytesWritten;
    }
    this.position += bytes.length;
  }
}

export interface TarEntry {
  name: string;
  size: number;
  /** The entry's bytes. Each chunk is the caller's to keep. */
  bytes: () => AsyncGenerator<Buffer>;
}

/** Why a file is no archive of ours, or not all of it. */
export class TarError extends Error {}

const textAt = (bytes: Buffer, from: number, length: number): string =>
  bytes.toString("utf8", from, from + length).replace(/\0.*$/s, "");

/**
 * The entries of an archive, in order. Entries whose bytes are not asked for are skipped. Throws a TarError where it
 * breaks off.
 */
export async function* readTar(file: FileHandle): AsyncGenerator<TarEntry> {
  const { size: end } = await file.stat();
  for (let position = 0; ;) {
    const head = Buffer.alloc(block);
    if ((await file.read(head, 0, block, position)).bytesRead < block) throw new TarError("the file breaks off");
    if (head.every((byte) => byte === 0)) return;
    if (textAt(head, 257, 5) !== "ustar") throw new TarError("the file is no backup of Muster");
    if (parseInt(textAt(head, 148, 8), 8) !== sumOf(head)) throw new TarError("the file is damaged");
    const size = (head[124] ?? 0) & 0x80 ? Number(head.readBigUInt64BE(128)) : parseInt(textAt(head, 124, 12), 8);
    const start = position + block;
    if (!(size >= 0) || start + size > end) throw new TarError("the file breaks off");
    const prefix = textAt(head, 345, 155);
    yield {
      name: prefix === "" ? textAt(head, 0, 100) : `${prefix}/${textAt(head, 0, 100)}`,
      size,
      bytes: () => slices(file, start, size),
    };
    position = start + size + padding(size);
  }
}

async function* slices(file: FileHandle, start: number, size: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < size;) {
    const buffer = Buffer.allocUnsafe(Math.min(readBytes, size - done));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start + done);
    if (bytesRead === 0) throw new TarError("the file breaks off");
    yield buffer.subarray(0, bytesRead);
    done += bytesRead;
  }
}
