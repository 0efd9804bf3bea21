import pLimit from "p-limit";
import type { ByteSource } from "@/engine/formats/byte-source";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { isVideoSchema } from "@/engine/messages/pictures/picture-schemas";
import { findPictureAdapter } from "@/engine/messages/pictures/pictures";
import { UnreadableMessage } from "@/engine/messages/reading";
import { toJpeg } from "@/server/features/captures/jpeg";
import { withByteSources } from "@/server/features/recordings/file-service";
import { readVideoFrame } from "@/server/features/recordings/frame-service";
import { requireTopic } from "@/server/features/recordings/message-service";
import { loadPack } from "@/server/features/recordings/pack-service";
import type { Ctx } from "@/server/platform/context";
import { invalid, ServiceError } from "@/server/platform/errors";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { processWide } from "@/server/platform/process-wide";

/** Pictures that are decoded at a time by a process, and that may wait. */
const [concurrency, maxWaiting] = [2, 32];
/** Pictures beside a choice, and those that a stage shows. */
const sizes = { small: { maxSide: 320, quality: 70 }, whole: { maxSide: 1_920, quality: 85 } } as const;
/** Bytes of unpacked chunks that stay in memory. */
const chunkBytes = 64 * 1024 * 1024;

const decoding = processWide("momentFrames", () => pLimit(concurrency));

/** Does something with the chunks of a recording. Throws `invalid("t")` for what cannot be read, and `unavailable`. */
export async function withChunks<T>(
  ctx: Ctx,
  recordingId: string,
  work: (chunks: ChunkReader) => Promise<T>,
  limit: (file: ByteSource) => ByteSource = (file) => file,
): Promise<T> {
  if (decoding.pendingCount >= maxWaiting)
    throw new ServiceError("unavailable", { detail: "Too many pictures are decoded at the moment." });
  return decoding(async () => {
    try {
      const { bytes } = await loadPack(ctx, recordingId);
      return await withByteSources(ctx, recordingId, async (files) => {
        const sources = new Map(files.map((file) => [file.id ?? "", limit(file)]));
        const opened = openPacked(bytes, sources, await recordingCodecs(), chunkBytes);
        if (opened === null) throw new RecordingError("The table of the recording's chunks is of another version.");
        return await work(opened.chunks);
      });
    } catch (error) {
      if (error instanceof UnreadableMessage || error instanceof RecordingError) throw invalid("t", error.message);
      throw error;
    }
  });
}

interface WantedFrame {
  topic: string;
  at: bigint;
}

async function readFrame(
  ctx: Ctx,
  recordingId: string,
  { topic: name, at }: WantedFrame,
  size: (typeof sizes)[keyof typeof sizes],
): Promise<Uint8Array> {
  const topic = await requireTopic(ctx, recordingId, name);
  if (isVideoSchema(topic.schemaName)) {
    const data = await readVideoFrame(ctx, recordingId, { topic: name, at });
    return (await toJpeg({ kind: "compressed", mediaType: "image/jpeg", data }, size)).bytes;
  }
  const adapter = findPictureAdapter(topic.schemaName);
  if (adapter === null) throw invalid("topic", "This topic has no pictures.");
  return withChunks(ctx, recordingId, async (chunks) => {
    const message = await chunks.findLatest(name, at);
    if (!message) throw invalid("t", "There is no picture before this moment.");
    return (await toJpeg(adapter(new MessageDecoders().decode(message)), size)).bytes;
  });
}

/**
 * The last picture of a camera up to a moment as a small JPEG. Throws `not_found`, `invalid("topic")`, `invalid("t")` where
 * there is no picture, and `unavailable` when too many are decoded.
 */
export const readMomentFrame = (ctx: Ctx, recordingId: string, wanted: WantedFrame): Promise<Uint8Array> =>
  readFrame(ctx, recordingId, wanted, sizes.small);

/** The same, large enough to be looked at as the item beside it. */
export const readStageFrame = (ctx: Ctx, recordingId: string, wanted: WantedFrame): Promise<Uint8Array> =>
  readFrame(ctx, recordingId, wanted, sizes.whole);
