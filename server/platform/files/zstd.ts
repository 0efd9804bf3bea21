import { createRequire } from "node:module";
import * as zlib from "node:zlib";
import type { Decompress } from "@/engine/formats/codecs/codecs";
import { loadZstd } from "@/engine/formats/codecs/zstd-wasm";

/** Who decompresses zstd, the fastest first: 1.0, 1.2 and 2.2 times the CPU time of zstd-napi. */
export type ZstdDecoder = "zstd-napi" | "node:zlib" | "wasm";

interface ZstdContext {
  decompress(target: Uint8Array, source: Uint8Array): number;
}

/** zstd-napi; null where it has not been compiled. */
function napiZstd(): Decompress | null {
  try {
    const { DCtx } = createRequire(import.meta.url)("zstd-napi/binding") as { DCtx: new () => ZstdContext };
    const context = new DCtx();
    return (source, size, into) => {
      const target = into?.subarray(0, size) ?? Buffer.allocUnsafeSlow(size);
      return target.subarray(0, context.decompress(target, source));
    };
  } catch {
    return null;
  }
}

/** Node's own; null before Node 22.15. Output in one piece: it allocates for each of its own. */
function nodeZstd(): Decompress | null {
  const own: unknown = Reflect.get(zlib, "zstdDecompressSync");
  if (typeof own !== "function") return null;
  return (source, size) => {
    const data: unknown = own(source, { maxOutputLength: Math.max(1, size), chunkSize: Math.max(64, size) });
    if (!(data instanceof Uint8Array)) throw new Error("zstd returned no bytes");
    return data;
  };
}

const decoders: Readonly<Record<ZstdDecoder, () => Decompress | null | Promise<Decompress>>> = {
  "zstd-napi": napiZstd,
  "node:zlib": nodeZstd,
  wasm: () => loadZstd(),
};

/** A decoder of zstd by its name; null where this machine does not have it. Each limits the size of its output. */
export const openZstd = async (name: ZstdDecoder): Promise<Decompress | null> => decoders[name]();

/** The fastest decoder of this machine. */
export async function fastestZstd(): Promise<{ name: ZstdDecoder; decompress: Decompress }> {
  for (const name of ["zstd-napi", "node:zlib"] as const) {
    const decompress = await openZstd(name);
    if (decompress) return { name, decompress };
  }
  return { name: "wasm", decompress: await loadZstd() };
}
