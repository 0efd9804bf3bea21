import createBzip2 from "@foxglove/wasm-bz2/wasm/module.js";
import createZstd from "@foxglove/wasm-zstd/dist/wasm-zstd.js";
import type { Codecs, Decompress } from "@/engine/formats/codecs";
import { crc32 } from "@/engine/formats/crc32";
import { loadLz4 } from "@/engine/formats/lz4";

/** The content of a package's `.wasm` file, where its script cannot find the file: in a browser. */
type WasmBinary = Uint8Array;

/** Codecs that depend on WebAssembly only. */
export async function loadPortableCodecs(binaries: Record<"zstd" | "bz2", WasmBinary>): Promise<Codecs> {
  const [lz4, zstd, bz2] = await Promise.all([loadLz4(), loadZstd(binaries.zstd), loadBzip2(binaries.bz2)]);
  return { lz4, zstd, bz2, crc32 };
}

export async function loadZstd(binary?: WasmBinary): Promise<Decompress> {
  const wasm = await createZstd(getOptions(binary));
  return (source, size) => {
    return runDecoder(wasm, source, size, (target, input) => wasm._decompress(target, size, input, source.length));
  };
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

const getOptions = (wasmBinary: WasmBinary | undefined) => (wasmBinary === undefined ? {} : { wasmBinary });

/** Copies a chunk into a decoder's memory and the result out of it; throws when `run` returns less than 0. */
function runDecoder(
  wasm: EmscriptenModule,
  source: Uint8Array,
  size: number,
  run: (target: number, source: number) => number,
): Uint8Array {
  const input = wasm._malloc(source.length);
  const target = wasm._malloc(size);
  try {
    if (input === 0 || target === 0) throw new Error("The decoder has no memory left.");
    wasm.HEAPU8.set(source, input);
    const length = run(target, input);
    if (length < 0) throw new Error("The chunk is damaged.");
    return wasm.HEAPU8.slice(target, target + length);
  } finally {
    wasm._free(input);
    wasm._free(target);
  }
}
