/** The content of a package's `.wasm` file, where its script cannot find the file: in a browser. */
export type WasmBinary = Uint8Array;

export const getOptions = (wasmBinary: WasmBinary | undefined) => (wasmBinary === undefined ? {} : { wasmBinary });

/** Copies a chunk into a decoder's memory and the result out of it; throws when `run` returns less than 0. */
export function runDecoder(
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
