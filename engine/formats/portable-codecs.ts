import createBzip2 from "@foxglove/wasm-bz2/wasm/module.js";
import type { Codecs, Decompress } from "@/engine/formats/codecs";
import { crc32 } from "@/engine/formats/crc32";
import { loadLz4 } from "@/engine/formats/lz4";
import { getOptions, runDecoder, type WasmBinary } from "@/engine/formats/wasm-decoder";
import { loadZstd } from "@/engine/formats/zstd-wasm";

/** Codecs that depend on WebAssembly only. */
export async function loadPortableCodecs(binaries: Record<"zstd" | "bz2", WasmBinary>): Promise<Codecs> {
  const [lz4, zstd, bz2] = await Promise.all([loadLz4(), loadZstd(binaries.zstd), loadBzip2(binaries.bz2)]);
  return { lz4, zstd, bz2, crc32 };
}

export async function loadBzip2(binary?: WasmBinary): Promise<Decompress> {
  const wasm = await createBzip2(getOptions(binary));
  return (source, size) => {
    return runDecoder(wasm, source, size, (target, input) => {
      const { code, buffer } = wasm.decompress(target, size, input, source.length, 0);
      return code === 0 && buffer !== undefined ? buffer.length : -1;
    });
  };
}
