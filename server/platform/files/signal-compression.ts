import { createRequire } from "node:module";
import * as zlib from "node:zlib";
import type { SignalCompression } from "@/engine/signals/parquet-file";
import type { SignalCodecs } from "@/engine/signals/signal-file-reader";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { processWide } from "@/server/platform/process-wide";

/** ZSTD_c_compressionLevel, which the types of older versions of Node do not know. */
const zstdLevelParameter = 100;

/** The fastest compression of signals available on this machine: zstd by zstd-napi or Node, else gzip. */
export const signalCompression = (): SignalCompression =>
  processWide("signalCompression", () => napiCompression() ?? nodeCompression() ?? gzipCompression);

const gzipCompression: SignalCompression = { codec: 2, compress: (bytes) => zlib.gzipSync(bytes, { level: 1 }) };

function nodeCompression(): SignalCompression | null {
  const own: unknown = Reflect.get(zlib, "zstdCompressSync");
  if (typeof own !== "function") return null;
  return {
    codec: 6,
    compress: (bytes) => {
      const packed: unknown = own(bytes, { params: { [zstdLevelParameter]: 1 } });
      if (!(packed instanceof Uint8Array)) throw new Error("zstd returned no bytes");
      return packed;
    },
  };
}

/** Decompresses signals, whichever of these compressions wrote them. */
export const signalCodecs = async (): Promise<SignalCodecs> => ({
  zstd: (await recordingCodecs()).zstd,
  gzip: (bytes, size) => zlib.gunzipSync(bytes, { maxOutputLength: Math.max(1, size) }),
});

interface ZstdContext {
  compress(target: Uint8Array, source: Uint8Array, level: number): number;
}

function napiCompression(): SignalCompression | null {
  try {
    const { CCtx } = createRequire(import.meta.url)("zstd-napi/binding") as { CCtx: new () => ZstdContext };
    const context = new CCtx();
    let target = new Uint8Array(0);
    return {
      codec: 6,
      compress: (bytes) => {
        // The most that zstd makes of incompressible bytes.
        const most = bytes.length + (bytes.length >> 8) + 1_024;
        if (target.length < most) target = new Uint8Array(most);
        return target.subarray(0, context.compress(target, bytes, 1));
      },
    };
  } catch {
    return null;
  }
}
