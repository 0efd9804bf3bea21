import { createRequire } from "node:module";
import * as zlib from "node:zlib";
import type { Codecs, Decompress } from "@/engine/formats/codecs";
import { loadBzip2, loadLz4, loadZstd } from "@/engine/formats/portable-codecs";
import { processWide } from "@/server/platform/process-wide";

/** The fastest codecs available on this machine for `openRecording`, loaded once per process. */
export const recordingCodecs = (): Promise<Codecs> => processWide("recordingCodecs", load);

async function load(): Promise<Codecs> {
  const [lz4, zstd, bz2] = await Promise.all([
    loadLz4(),
    nativeZstd() ?? loadZstd(),
    withoutNewErrorHandlers(loadBzip2),
  ]);
  return { lz4, zstd, bz2, crc32: zlib.crc32 };
}

/**
 * Removes the process-wide error handlers that the bz2 module installs synchronously: they would end the process on any
 * unhandled rejection.
 */
function withoutNewErrorHandlers<T>(work: () => T): T {
  const events = ["uncaughtException", "unhandledRejection"] as const;
  const before = events.map((event) => new Set<unknown>(process.rawListeners(event)));
  try {
    return work();
  } finally {
    for (const [position, event] of events.entries()) {
      for (const listener of process.rawListeners(event)) {
        if (!before[position]?.has(listener)) process.off(event, listener as (...details: unknown[]) => void);
      }
    }
  }
}

/** Node's own decoder (22.15 and later), else zstd-napi if its binary is installed; both limit the output size. */
function nativeZstd(): Decompress | null {
  const own: unknown = Reflect.get(zlib, "zstdDecompressSync");
  if (typeof own === "function") {
    return (source, size) => {
      const data: unknown = own(source, { maxOutputLength: Math.max(1, size) });
      if (!(data instanceof Uint8Array)) throw new Error("zstd returned no bytes");
      return data;
    };
  }
  try {
    const binding: unknown = createRequire(import.meta.url)("zstd-napi/binding");
    const context = createContext(binding);
    return (source, size) => {
      const target = Buffer.allocUnsafeSlow(size);
      return target.subarray(0, context.decompress(target, source));
    };
  } catch {
    return null;
  }
}

interface ZstdContext {
  decompress(target: Uint8Array, source: Uint8Array): number;
}

function createContext(binding: unknown): ZstdContext {
  const { DCtx } = binding as { DCtx: new () => ZstdContext };
  return new DCtx();
}
