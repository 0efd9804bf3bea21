import * as zlib from "node:zlib";
import type { Codecs } from "@/engine/formats/codecs/codecs";

/**
 * The fastest CRC-32 of this machine: that of @node-rs/crc32, at 16 GB/s, where it has a binary for the platform; else
 * Node's own, at 7.
 */
export const fastestCrc32 = async (): Promise<{ name: string; crc32: Codecs["crc32"] }> =>
  import("@node-rs/crc32").then(
    ({ crc32 }) => ({ name: "@node-rs/crc32", crc32 }),
    () => ({ name: "node:zlib", crc32: zlib.crc32 }),
  );
