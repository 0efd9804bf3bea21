import { promisify } from "node:util";
import zlib from "node:zlib";

const deflate = promisify(zlib.deflate);
const inflate = promisify(zlib.inflate);

/** What every packed value begins with. */
const packedMark = 0x78;

/** Below so many bytes, making ready to pack costs more than it saves. */
const minBytes = 16 * 1024;

/** Packs an encoded series for storing, off this thread; long ones come down to about a quarter. */
export const pack = async (bytes: Uint8Array): Promise<Uint8Array> =>
  bytes.length < minBytes ? bytes : deflate(bytes, { level: 1 });

/** The bytes that were packed; what never was comes as it is. */
export const unpack = async (bytes: Uint8Array): Promise<Uint8Array> =>
  bytes[0] === packedMark ? inflate(bytes) : bytes;
