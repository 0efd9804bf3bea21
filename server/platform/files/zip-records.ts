const max16 = 0xffff;
const max32 = 0xffffffff;
/** Entries of so many bytes or more would need a longer form. */
export const maxEntryBytes = max32;
/** 1 January 1980, the earliest date of a ZIP; a constant, so that the same content gives the same bytes. */
const dosDate = 0x21;
/** Flags of an entry. */
export const utf8Names = 0x0800;
export const sizesFollow = 0x0008;
/** The mode of a regular file with the permissions 0644. */
const unixFile = (0o100644 << 16) >>> 0;

/** What an archive says of a file in it. */
export interface EntryRecord {
  name: Buffer;
  flags: number;
  crc: number;
  size: number;
  offset: number;
}

/** Stands before the bytes of a file. */
export function localHeader({ name, flags, crc, size }: Omit<EntryRecord, "offset">): Buffer {
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
export function dataDescriptor(crc: number, size: number): Buffer {
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(crc, 4);
  descriptor.writeUInt32LE(size, 8);
  descriptor.writeUInt32LE(size, 12);
  return descriptor;
}

/** The file in the directory at the end. */
export function centralRecord({ name, flags, crc, size, offset }: EntryRecord): Buffer {
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

/** Ends an archive. */
export function endRecords(entries: number, directory: { offset: number; size: number }): Buffer {
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
