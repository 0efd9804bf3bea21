import createBzip2 from "@foxglove/wasm-bz2/wasm/module.js";
import createLz4, { type Lz4Module } from "@foxglove/wasm-lz4/dist/wasm-lz4.js";
import createZstd from "@foxglove/wasm-zstd/dist/wasm-zstd.js";
import type { Codecs, Decompress } from "@/engine/formats/codecs";
import { crc32 } from "@/engine/formats/crc32";

/** The content of a package's `.wasm` file, where its script cannot find the file: in a browser. */
type WasmBinary = Uint8Array;

/** Codecs that depend on WebAssembly only. */
export async function loadPortableCodecs(binaries: Record<"lz4" | "zstd" | "bz2", WasmBinary>): Promise<Codecs> {
  const [lz4, zstd, bz2] = await Promise.all([loadLz4(binaries.lz4), loadZstd(binaries.zstd), loadBzip2(binaries.bz2)]);
  return { lz4, zstd, bz2, crc32 };
}

export async function loadLz4(binary?: WasmBinary): Promise<Decompress> {
  interface Decoder {
    wasm: Lz4Module;
    context: number;
  }
  const create = async (): Promise<Decoder> => {
    const wasm = await createLz4(getOptions(binary));
    return { wasm, context: wasm._createDecompressionContext() };
  };
  let decoder: Decoder | null = await create();
  return (source, size) => {
    if (decoder === null) throw new Error("The lz4 decoder is being replaced.");
    const { wasm, context } = decoder;
    try {
      return runDecoder(wasm, source, size, (target, input) =>
        wasm._decompressFrame(context, target, size, input, source.length),
      );
    } catch (error) {
      // A damaged frame makes the context unusable, and contexts cannot be freed.
      decoder = null;
      void create().then(
        (fresh) => (decoder = fresh),
        () => {},
      );
      throw error;
    }
  };
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
