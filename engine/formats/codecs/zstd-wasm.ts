import createZstd from "@foxglove/wasm-zstd/dist/wasm-zstd.js";
import type { Decompress } from "@/engine/formats/codecs/codecs";
import { getOptions, runDecoder, type WasmBinary } from "@/engine/formats/codecs/wasm-decoder";

export async function loadZstd(binary?: WasmBinary): Promise<Decompress> {
  const wasm = await createZstd(getOptions(binary));
  return (source, size) => {
    return runDecoder(wasm, source, size, (target, input) => wasm._decompress(target, size, input, source.length));
  };
}
