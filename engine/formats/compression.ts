import { plainBytes } from "@/engine/bytes";
import type { Codecs } from "@/engine/formats/codecs";
import { decodeLz4Frame, type Unpacked } from "@/engine/formats/lz4-frame";

/** How a chunk is packed. MCAP names none "" and rosbag "none". */
export type Compression = "none" | "lz4" | "zstd" | "bz2";

/** The compression a file names, or null for one that is not supported. */
export function compressionNamed(name: string): Compression | null {
  if (name === "" || name === "none") return "none";
  return name === "lz4" || name === "zstd" || name === "bz2" ? name : null;
}

/** Unpacks into at most `size` bytes; `complete` is false when the input is damaged and only a part came out. */
export function unpack(codecs: Codecs, kind: Compression, source: Uint8Array, size: number): Unpacked {
  if (kind === "none") return { data: source, complete: source.length === size };
  try {
    const data = plainBytes(codecs[kind](source, size));
    return { data, complete: data.length === size };
  } catch {
    // Of an lz4 frame the plain decoder keeps what comes before the fault.
    return kind === "lz4" ? decodeLz4Frame(source, size) : { data: new Uint8Array(0), complete: false };
  }
}
