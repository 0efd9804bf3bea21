import { createRequire } from "node:module";
import { CompressedBeyond, CompressedDamage } from "@/server/platform/files/compressed-damage";
import { recordingCodecs, zstdDecoder } from "@/server/platform/files/recording-codecs";
import { zstdFrames } from "@/server/platform/files/zstd-frames";

/** The largest frame that is decompressed where no decoder takes streams. */
const maxFrameBytes = 256 * 1024 * 1024;

/** `zstd --long` refers back farther than decoders allow that are not asked to. */
const tooFar = "is a zstd file whose window is larger than 128 MiB: compress it without `--long`";

interface StreamContext {
  /** The bytes that the decoder expects next (0 after a frame), those it produced and those it consumed. */
  decompressStream(target: Uint8Array, source: Uint8Array): [number, number, number];
}

/** Decompresses a zstd stream as `decompressStream` does. Without zstd-napi, frame by frame, of at most 256 MiB each. */
export const decompressZstd = async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if ((await zstdDecoder()) === "zstd-napi") yield* withNapi(source);
  else yield* frameByFrame(source);
};

async function* withNapi(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { DCtx } = createRequire(import.meta.url)("zstd-napi/binding") as { DCtx: new () => StreamContext };
  const context = new DCtx();
  const target = Buffer.allocUnsafeSlow(128 * 1024);
  // Given no more than it expects, without the head of the next block, it decompresses block by block: an error then loses
  // nothing of those before.
  const firstBytes = 5;
  const headBytes = 3;
  let expected = 0;
  const step = (bytes: Uint8Array): [number, number] => {
    try {
      const [next, produced, consumed] = context.decompressStream(target, bytes);
      expected = next;
      return [produced, consumed];
    } catch (error) {
      if (error instanceof Error && /too much memory/i.test(error.message)) throw new CompressedBeyond(tooFar);
      throw new CompressedDamage("The zstd stream is damaged.");
    }
  };
  for await (const piece of source) {
    for (let at = 0, full = false; at < piece.length || full;) {
      const wanted = expected === 0 ? firstBytes : expected > headBytes ? expected - headBytes : expected;
      const [produced, consumed] = step(piece.subarray(at, at + wanted));
      at += consumed;
      full = produced === target.length && expected !== 0;
      if (produced > 0) yield target.subarray(0, produced);
    }
  }
  if (expected !== 0) throw new CompressedDamage("The zstd stream is cut off.");
}

/** With any decoder. `maxBytes`: of a frame. */
export async function* frameByFrame(
  source: AsyncIterable<Uint8Array>,
  maxBytes = maxFrameBytes,
): AsyncGenerator<Uint8Array> {
  const { zstd } = await recordingCodecs();
  for await (const { bytes, maxContentBytes } of zstdFrames(source, maxBytes)) {
    let content: Uint8Array;
    try {
      content = zstd(bytes, maxContentBytes);
    } catch {
      throw new CompressedDamage("A zstd frame is damaged.");
    }
    yield content;
  }
}
