import { plainBytes } from "@/engine/bytes";
import type { Codecs } from "@/engine/formats/codecs/codecs";

/** What could be decompressed of a possibly damaged or truncated input, from its start. */
export interface Decompressed {
  data: Uint8Array;
  complete: boolean;
}

/** How a chunk is compressed. No compression is "" in MCAP and "none" in bags. */
export type Compression = "none" | "lz4" | "zstd" | "bz2";

/** The compression a file names, or null for one that is not supported. */
export function compressionNamed(name: string): Compression | null {
  if (name === "" || name === "none") return "none";
  return name === "lz4" || name === "zstd" || name === "bz2" ? name : null;
}

/**
 * Decompresses into at most `size` bytes; `complete` is false when the input is damaged and only a part was decoded.
 * `into`: memory of at least `size` bytes that the result may lie in.
 */
export function decompress(
  codecs: Codecs,
  kind: Compression,
  source: Uint8Array,
  size: number,
  into?: Uint8Array,
): Decompressed {
  if (kind === "none") return { data: source, complete: source.length === size };
  try {
    const data = plainBytes(codecs[kind](source, size, into));
    return { data, complete: data.length === size };
  } catch {
    return { data: new Uint8Array(0), complete: false };
  }
}
