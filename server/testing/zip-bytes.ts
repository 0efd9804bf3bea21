import { crc32, deflateRawSync } from "node:zlib";

/** A file of a zip; with what it claims where that is not true. */
export interface ZippedFile {
  path: string;
  bytes: Uint8Array | string;
  stored?: boolean;
  claims?: { size?: number; crc?: number; method?: number; flags?: number };
}

/** The bytes of a zip, also of one that a well-behaved program would not write. */
export function zipBytes(files: readonly ZippedFile[]): Uint8Array<ArrayBuffer> {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, bytes, stored = false, claims = {} } of files) {
    const content = Buffer.from(bytes);
    const name = Buffer.from(path);
    const packed = stored ? content : deflateRawSync(content);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(claims.flags ?? 0x800, 2);
    head.writeUInt16LE(claims.method ?? (stored ? 0 : 8), 4);
    head.writeUInt16LE(0x21, 8); // the first day of 1980
    head.writeUInt32LE(claims.crc ?? crc32(content), 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(claims.size ?? content.length, 18);
    head.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), head, name, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), head, tail, name]));
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...parts, central, end]));
}
