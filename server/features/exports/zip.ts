import { createReadStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";

/** A file of an archive. It is stored uncompressed, because pictures are compressed already. */
export interface ZipEntry {
  /** Path within the archive, with `/`. */
  name: string;
  bytes: Uint8Array | ReadableStream<Uint8Array>;
}

const max16 = 0xffff;
const max32 = 0xffffffff;
const blockBytes = 256 * 1024;
/** 1 January 1980, the earliest date of a ZIP; a constant, so that the same content gives the same bytes. */
const dosDate = 0x21;
const utf8Names = 0x0800;
const sizesFollow = 0x0008;
/** The mode of a regular file with the permissions 0644. */
const unixFile = (0o100644 << 16) >>> 0;

/** Writes small pieces to a file through one reused buffer. */
class BlockWriter {
  private readonly block = Buffer.allocUnsafe(blockBytes);
  private filled = 0;
  /** Bytes written so far. */
  offset = 0;

  constructor(private readonly file: FileHandle) {}

  async add(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + blockBytes - this.filled);
      this.block.set(part, this.filled);
      this.filled += part.length;
      at += part.length;
      if (this.filled === blockBytes) await this.flush();
    }
    this.offset += bytes.length;
  }

  async flush(): Promise<void> {
    for (let at = 0; at < this.filled;) at += (await this.file.write(this.block, at, this.filled - at)).bytesWritten;
    this.filled = 0;
  }
}

interface EntryRecord {
  name: Buffer;
  flags: number;
  crc: number;
  size: number;
  offset: number;
}

function localHeader({ name, flags, crc, size }: Omit<EntryRecord, "offset">): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(dosDate, 12);
  header.writeUInt32LE(crc, 14);
  header.writeUInt32LE(size, 18);
  header.writeUInt32LE(size, 22);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

/** Follows the bytes of a file whose size and checksum were not known before. */
function dataDescriptor(crc: number, size: number): Buffer {
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(crc, 4);
  descriptor.writeUInt32LE(size, 8);
  descriptor.writeUInt32LE(size, 12);
  return descriptor;
}

function centralRecord({ name, flags, crc, size, offset }: EntryRecord): Buffer {
  const far = offset >= max32;
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE((3 << 8) | 45, 4);
  record.writeUInt16LE(far ? 45 : 20, 6);
  record.writeUInt16LE(flags, 8);
  record.writeUInt16LE(dosDate, 14);
  record.writeUInt32LE(crc, 16);
  record.writeUInt32LE(size, 20);
  record.writeUInt32LE(size, 24);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(far ? 12 : 0, 30);
  record.writeUInt32LE(unixFile, 38);
  record.writeUInt32LE(far ? max32 : offset, 42);
  if (!far) return Buffer.concat([record, name]);
  const extra = Buffer.alloc(12);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8, 2);
  extra.writeBigUInt64LE(BigInt(offset), 4);
  return Buffer.concat([record, name, extra]);
}

function endRecords(entries: number, directory: { offset: number; size: number }): Buffer {
  const { offset, size } = directory;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(entries, max16), 8);
  end.writeUInt16LE(Math.min(entries, max16), 10);
  end.writeUInt32LE(Math.min(size, max32), 12);
  end.writeUInt32LE(Math.min(offset, max32), 16);
  if (entries < max16 && size < max32 && offset < max32) return end;
  const large = Buffer.alloc(56 + 20);
  large.writeUInt32LE(0x06064b50, 0);
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE((3 << 8) | 45, 12);
  large.writeUInt16LE(45, 14);
  large.writeBigUInt64LE(BigInt(entries), 24);
  large.writeBigUInt64LE(BigInt(entries), 32);
  large.writeBigUInt64LE(BigInt(size), 40);
  large.writeBigUInt64LE(BigInt(offset), 48);
  large.writeUInt32LE(0x07064b50, 56);
  large.writeBigUInt64LE(BigInt(offset + size), 64);
  large.writeUInt32LE(1, 72);
  return Buffer.concat([large, end]);
}

/** Writes one entry and returns its record for the directory. Throws a RangeError for one of 4 GiB or more. */
async function writeEntry(out: BlockWriter, { name: text, bytes }: ZipEntry): Promise<EntryRecord> {
  const name = Buffer.from(text);
  const { offset } = out;
  if (bytes instanceof Uint8Array) {
    if (bytes.length >= max32) throw new RangeError(`${text} has 4 GiB or more`);
    const written = { name, flags: utf8Names, crc: crc32(bytes), size: bytes.length, offset };
    await out.add(localHeader(written));
    await out.add(bytes);
    return written;
  }
  const flags = utf8Names | sizesFollow;
  await out.add(localHeader({ name, flags, crc: 0, size: 0 }));
  let [crc, size] = [0, 0];
  for await (const chunk of bytes as unknown as AsyncIterable<Uint8Array>) {
    crc = crc32(chunk, crc);
    size += chunk.length;
    if (size >= max32) throw new RangeError(`${text} has 4 GiB or more`);
    await out.add(chunk);
  }
  await out.add(dataDescriptor(crc, size));
  return { name, flags, crc, size, offset };
}

/**
 * Writes a ZIP archive (with ZIP64 where needed) to the file `target`, each entry before the next is read. The
 * directory is collected in `<target>.directory`, so that memory does not grow with the number of entries; the caller
 * deletes that file.
 */
export async function writeZip(entries: AsyncIterable<ZipEntry>, target: string): Promise<void> {
  const spool = `${target}.directory`;
  const [file, spooled] = [await open(target, "w", 0o600), await open(spool, "w", 0o600)];
  try {
    const out = new BlockWriter(file);
    const directory = new BlockWriter(spooled);
    let count = 0;
    for await (const entry of entries) {
      await directory.add(centralRecord(await writeEntry(out, entry)));
      count++;
    }
    await directory.flush();
    const { offset } = out;
    for await (const part of createReadStream(spool) as AsyncIterable<Buffer>) await out.add(part);
    await out.add(endRecords(count, { offset, size: directory.offset }));
    await out.flush();
  } finally {
    await Promise.all([file.close(), spooled.close()]);
  }
}
