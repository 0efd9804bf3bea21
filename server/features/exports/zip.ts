import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { BlockWriter } from "@/server/features/exports/block-writer";
import {
  centralRecord,
  dataDescriptor,
  endRecords,
  localHeader,
  maxEntryBytes,
  sizesFollow,
  utf8Names,
  type EntryRecord,
} from "@/server/platform/files/zip-records";

/** A file of an archive. It is stored uncompressed, because pictures are compressed already. */
export interface ZipEntry {
  /** Path within the archive, with `/`. */
  name: string;
  bytes: Uint8Array | ReadableStream<Uint8Array>;
}

/** Writes one entry and returns its record for the directory. Throws a RangeError for one of 4 GiB or more. */
async function writeEntry(out: BlockWriter, { name: text, bytes }: ZipEntry): Promise<EntryRecord> {
  const name = Buffer.from(text);
  const { offset } = out;
  if (bytes instanceof Uint8Array) {
    if (bytes.length >= maxEntryBytes) throw new RangeError(`${text} has 4 GiB or more`);
    const written = { name, flags: utf8Names, crc: crc32(bytes), size: bytes.length, offset };
    await out.add(localHeader(written));
    await out.add(bytes);
    return written;
  }
  const flags = utf8Names | sizesFollow;
  await out.add(localHeader({ name, flags, crc: 0, size: 0 }));
  let [crc, size] = [0, 0];
  for await (const chunk of bytes) {
    crc = crc32(chunk, crc);
    size += chunk.length;
    if (size >= maxEntryBytes) throw new RangeError(`${text} has 4 GiB or more`);
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
