import { crc32 } from "node:zlib";
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

/** A file of an archive, stored as it is. */
export interface StreamedEntry {
  /** Path within the archive, with `/`. */
  name: string;
  bytes: Uint8Array | AsyncIterable<Uint8Array>;
}

/**
 * The bytes of a ZIP archive (with ZIP64 where needed) as they are made. Only the directory is kept, about 100 bytes an
 * entry. Throws a RangeError for an entry of 4 GiB or more.
 */
export async function* zipStream(entries: AsyncIterable<StreamedEntry>): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = [];
  let offset = 0;
  const count = (bytes: Uint8Array): Uint8Array => {
    offset += bytes.length;
    return bytes;
  };
  for await (const { name: text, bytes } of entries) {
    const name = Buffer.from(text);
    const known = bytes instanceof Uint8Array;
    const record: EntryRecord = { name, flags: known ? utf8Names : utf8Names | sizesFollow, crc: 0, size: 0, offset };
    if (known) Object.assign(record, { crc: crc32(bytes), size: bytes.length });
    yield count(localHeader(record));
    for await (const part of known ? [bytes] : bytes) {
      if (!known) Object.assign(record, { crc: crc32(part, record.crc), size: record.size + part.length });
      if (record.size >= maxEntryBytes) throw new RangeError(`${text} has 4 GiB or more`);
      yield count(part);
    }
    if (!known) yield count(dataDescriptor(record.crc, record.size));
    directory.push(centralRecord(record));
  }
  const size = directory.reduce((sum, record) => sum + record.length, 0);
  const end = endRecords(directory.length, { offset, size });
  yield* directory;
  yield end;
}
