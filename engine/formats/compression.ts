import { createRequire } from "node:module";
import * as zlib from "node:zlib";
import { decodeLz4Frame, type Unpacked } from "@/engine/formats/lz4-frame";

/** How a chunk is packed. MCAP names none "" and rosbag "none". */
export type Compression = "none" | "lz4" | "zstd" | "bz2";

type Decode = (source: Uint8Array, size: number) => Uint8Array;

interface Codecs {
  lz4: Decode | null;
  zstd: Decode;
  bz2: Decode;
}

/** The compression a file names, or null for one that is not supported. */
export function compressionNamed(name: string): Compression | null {
  if (name === "" || name === "none") return "none";
  return name === "lz4" || name === "zstd" || name === "bz2" ? name : null;
}

let loading: Promise<Codecs> | null = null;

/** Loads the compiled decoders once in a process; `unpack` must not be called before this resolved. */
export async function loadCodecs(): Promise<(kind: Compression, source: Buffer, size: number) => Unpacked> {
  loading ??= load();
  const loaded = await loading;
  return (kind, source, size) => unpack(loaded, kind, source, size);
}

/** Unpacks into at most `size` bytes; `complete` is false when the input is damaged and only a part came out. */
function unpack(loaded: Codecs, kind: Compression, source: Buffer, size: number): Unpacked {
  if (kind === "none") return { data: source, complete: source.length === size };
  if (kind === "lz4" && loaded.lz4 === null) return decodeLz4Frame(source, size);
  try {
    const decode = kind === "lz4" && loaded.lz4 !== null ? loaded.lz4 : kind === "zstd" ? loaded.zstd : loaded.bz2;
    const data = decode(source, size);
    return { data: Buffer.from(data.buffer, data.byteOffset, data.byteLength), complete: data.length === size };
  } catch {
    if (kind !== "lz4") return { data: Buffer.alloc(0), complete: false };
    // The compiled decoder keeps its state in one context that a bad frame leaves broken for every later chunk of the
    // process: replace the instance, and take from this chunk what the plain decoder still finds.
    loaded.lz4 = null;
    void freshLz4().then((decode) => (loaded.lz4 = decode));
    return decodeLz4Frame(source, size);
  }
}

async function load(): Promise<Codecs> {
  const { default: lz4 } = await import("@foxglove/wasm-lz4");
  await lz4.isLoaded;
  const { default: Bzip2 } = await import("@foxglove/wasm-bz2");
  const bzip2 = await keepingFaultHandlers(() => Bzip2.init());
  return { lz4, zstd: nativeZstd() ?? (await wasmZstd()), bz2: (source, size) => bzip2.decompress(source, size) };
}

/**
 * The bz2 module installs process-wide handlers that end the process on any stray rejection; what faults mean is ours
 * to say.
 */
async function keepingFaultHandlers<T>(work: () => Promise<T>): Promise<T> {
  const events = ["uncaughtException", "unhandledRejection"] as const;
  const before = events.map((event) => new Set<unknown>(process.rawListeners(event)));
  try {
    return await work();
  } finally {
    for (const [position, event] of events.entries()) {
      for (const listener of process.rawListeners(event)) {
        if (!before[position]?.has(listener)) process.off(event, listener as (...details: unknown[]) => void);
      }
    }
  }
}

async function wasmZstd(): Promise<Decode> {
  const zstd = await import("@foxglove/wasm-zstd");
  await zstd.isLoaded;
  return (source, size) => zstd.decompress(source, size);
}

/** Node's own decoder (22.15 and later), else zstd-napi where its binary could be installed; both bound the output. */
function nativeZstd(): Decode | null {
  const own: unknown = Reflect.get(zlib, "zstdDecompressSync");
  if (typeof own === "function") {
    return (source, size) => {
      const data: unknown = own(source, { maxOutputLength: Math.max(1, size) });
      if (!(data instanceof Uint8Array)) throw new Error("zstd answered no bytes");
      return data;
    };
  }
  try {
    const binding: unknown = createRequire(import.meta.url)("zstd-napi/binding");
    const context = dctx(binding);
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

function dctx(binding: unknown): ZstdContext {
  const { DCtx } = binding as { DCtx: new () => ZstdContext };
  return new DCtx();
}

async function freshLz4(): Promise<Decode | null> {
  try {
    const require = createRequire(import.meta.url);
    for (const path of Object.keys(require.cache)) {
      if (path.includes("wasm-lz4")) delete require.cache[path];
    }
    const lz4 = require("@foxglove/wasm-lz4") as Decode & { isLoaded: Promise<void> };
    await lz4.isLoaded;
    return lz4;
  } catch {
    return null;
  }
}
