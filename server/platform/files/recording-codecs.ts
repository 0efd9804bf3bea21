import { loadBzip2 } from "@/engine/formats/codecs/bzip2-wasm";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import { loadLz4 } from "@/engine/formats/codecs/lz4";
import { fastestCrc32 } from "@/server/platform/files/crc32";
import { fastestZstd, type ZstdDecoder } from "@/server/platform/files/zstd";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";

const log = logFor("recordings");

/** The fastest codecs available on this machine for `openRecording`, loaded once per process. */
export const recordingCodecs = async (): Promise<Codecs> => (await loaded()).codecs;

/** Who decompresses zstd in this process. */
export const zstdDecoder = async (): Promise<ZstdDecoder> => (await loaded()).zstd;

const loaded = () => processWide("recordingCodecs", load);

async function load(): Promise<{ codecs: Codecs; zstd: ZstdDecoder }> {
  const [lz4, zstd, { name, crc32 }, bz2] = await Promise.all([
    loadLz4(),
    fastestZstd(),
    fastestCrc32(),
    withoutNewErrorHandlers(loadBzip2),
  ]);
  log.info({ zstd: zstd.name, crc32: name }, "recordings are decompressed");
  return { codecs: { lz4, zstd: zstd.decompress, bz2, crc32 }, zstd: zstd.name };
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
