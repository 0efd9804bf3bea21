/** What the packages' own scripts export, which unlike their main modules run without Node. */

interface EmscriptenModule {
  /** Replaced when the memory grows: must be read again after every allocation. */
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(address: number): void;
}

type EmscriptenFactory<T extends EmscriptenModule> = (options?: { wasmBinary?: Uint8Array }) => Promise<T>;

declare module "@foxglove/wasm-zstd/dist/wasm-zstd.js" {
  export interface ZstdModule extends EmscriptenModule {
    /** Returns the bytes written, or -1. */
    _decompress(target: number, targetSize: number, source: number, sourceSize: number): number;
  }
  const create: EmscriptenFactory<ZstdModule>;
  export default create;
}

declare module "@foxglove/wasm-bz2/wasm/module.js" {
  export interface Bzip2Module extends EmscriptenModule {
    /** `buffer` is the result in the module's own memory; a `code` other than 0 means failure. */
    decompress(
      target: number,
      targetSize: number,
      source: number,
      sourceSize: number,
      small: 0 | 1,
    ): { code: number; buffer?: Uint8Array };
  }
  const create: EmscriptenFactory<Bzip2Module>;
  export default create;
}

/** Built for browsers: the address of the file. */
declare module "@foxglove/wasm-zstd/dist/wasm-zstd.wasm" {
  const address: string;
  export default address;
}
