import { decodeBzip2 } from "@/engine/formats/codecs/bzip2";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import { crc32 } from "@/engine/formats/codecs/crc32";
import { loadLz4 } from "@/engine/formats/codecs/lz4";
import type { WasmBinary } from "@/engine/formats/codecs/wasm-decoder";
import { loadZstd } from "@/engine/formats/codecs/zstd-wasm";

/** Codecs for browsers: of WebAssembly only what the policy of pages' threads allows. */
export async function loadPortableCodecs(binaries: Record<"zstd", WasmBinary>): Promise<Codecs> {
  const [lz4, zstd] = await Promise.all([loadLz4(), loadZstd(binaries.zstd)]);
  return { lz4, zstd, bz2: decodeBzip2, crc32 };
}
