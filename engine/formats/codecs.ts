/** Unpacks into at most `size` bytes; throws for what is damaged, and may answer less of what is cut off. */
export type Decompress = (source: Uint8Array, size: number) => Uint8Array;

/**
 * What reading takes that is faster in native or WebAssembly code. Whoever opens a recording brings it: the server its
 * native modules, a browser what `portable-codecs` loads.
 */
export interface Codecs {
  lz4: Decompress;
  zstd: Decompress;
  bz2: Decompress;
  /** The CRC-32 of zip and MCAP, unsigned. */
  crc32: (bytes: Uint8Array) => number;
}
