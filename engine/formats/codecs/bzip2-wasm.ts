import createBzip2 from "@foxglove/wasm-bz2/wasm/module.js";
import type { Decompress } from "@/engine/formats/codecs/codecs";
import { getOptions, runDecoder, type WasmBinary } from "@/engine/formats/codecs/wasm-decoder";

export async function loadBzip2(binary?: WasmBinary): Promise<Decompress> {
  const wasm = await createBzip2(getOptions(binary));
  return (source, size) => {
    return runDecoder(wasm, source, size, (target, input) => {
      const { code, buffer } = wasm.decompress(target, size, input, source.length, 0);
      return code === 0 && buffer !== undefined ? buffer.length : -1;
    });
  };
}
