/**
 * Decompresses into at most `size` bytes; throws for damaged input, and may return less of truncated input. `into`: at
 * least as many bytes that may be used for the result, so that no new memory is needed.
 */
export type Decompress = (source: Uint8Array, size: number, into?: Uint8Array) => Uint8Array;

/**
 * The parts of reading that are faster in native or WebAssembly code. Callers supply them: the server its native
 * modules, a browser those of `portable-codecs`.
 */
export interface Codecs {
  lz4: Decompress;
  zstd: Decompress;
  bz2: Decompress;
  /** The CRC-32 of zip and MCAP, unsigned; `before`: that of the bytes before these. */
  crc32: (bytes: Uint8Array, before?: number) => number;
}
