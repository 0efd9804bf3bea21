import pLimit from "p-limit";
import type { ByteSource } from "@/engine/formats/byte-source";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { isVideoSchema } from "@/engine/messages/pictures/picture-schemas";
import { VideoStream } from "@/engine/messages/pictures/video-stream";
import { VideoTimeline } from "@/engine/messages/pictures/video-timeline";
import { UnreadableMessage } from "@/engine/messages/reading";
import { openByteSources } from "@/server/features/recordings/file-service";
import { requireTopic } from "@/server/features/recordings/message-service";
import { loadPack } from "@/server/features/recordings/pack-service";
import type { Ctx } from "@/server/platform/context";
import { invalid, ServiceError } from "@/server/platform/errors";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { processWide } from "@/server/platform/process-wide";
import { decodePicture, findFfmpeg, VideoUndecoded, type WantedPicture } from "@/server/platform/video/ffmpeg";

/** How far a keyframe is looked for. */
const reach = { span: 20_000_000_000n, maxBytes: 64 * 1024 * 1024 };
/** Bytes that are read of the files for one picture, and of unpacked chunks that stay in memory. */
const maxBytes = 64 * 1024 * 1024;
const budgetMs = 20_000;
/** Pictures that are decoded at a time by a process, and that may wait. */
const [concurrency, maxWaiting] = [2, 16];
/** Units beyond the moment that a picture shown earlier may need. */
const aheadNs = 1_000_000_000n;
const maxSide = 1_280;

const decoding = processWide("videoDecoding", () => pLimit(concurrency));

/**
 * The picture of a topic of video at a moment (nanoseconds since 1970) as JPEG, decoded by ffmpeg. Throws `not_found`,
 * `invalid("topic")`, `invalid("t")` where there is no picture, and `unavailable` without ffmpeg or when it is busy.
 */
export async function readVideoFrame(
  ctx: Ctx,
  recordingId: string,
  { topic: name, at }: { topic: string; at: bigint },
): Promise<Uint8Array> {
  const topic = await requireTopic(ctx, recordingId, name);
  if (!isVideoSchema(topic.schemaName)) throw invalid("topic", "This topic is no video.");
  const program = findFfmpeg();
  if (program === null) throw new ServiceError("unavailable", { detail: "The server has no ffmpeg." });
  if (decoding.pendingCount >= maxWaiting)
    throw new ServiceError("unavailable", { detail: "Too many pictures are decoded at the moment." });
  const signal = AbortSignal.timeout(budgetMs);
  return decoding(async () => {
    try {
      const { bytes } = await loadPack(ctx, recordingId);
      const sources = limitSources(await openByteSources(ctx, recordingId), signal);
      const opened = openPacked(bytes, sources, await recordingCodecs(), maxBytes);
      if (opened === null) throw new RecordingError("The table of the recording's chunks is of another version.");
      const wanted = await findVideoPicture(opened.chunks, new MessageDecoders(), name, at);
      return await decodePicture(program, { ...wanted, maxSide }, signal);
    } catch (error) {
      if (signal.aborted) throw new ServiceError("unavailable", { detail: "Reading this picture takes too long." });
      if (error instanceof UnreadableMessage || error instanceof RecordingError || error instanceof VideoUndecoded)
        throw invalid("t", error.message);
      throw error;
    }
  });
}

/** The files by their ids, of which only so much can be read. */
function limitSources(files: readonly ByteSource[], signal: AbortSignal): Map<string, ByteSource> {
  let left = maxBytes;
  return new Map(
    files.map((file) => [
      file.id ?? "",
      {
        ...file,
        read: (offset, length, target) => {
          signal.throwIfAborted();
          if ((left -= length) < 0) throw new RecordingError("The messages of the video lie too far apart.");
          return file.read(offset, length, target);
        },
      },
    ]),
  );
}

/** What a decoder needs for the picture of a moment. Throws UnreadableMessage when there is no such picture. */
export async function findVideoPicture(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  topic: string,
  at: bigint,
): Promise<Omit<WantedPicture, "maxSide"> & { time: bigint }> {
  const timeline = new VideoTimeline(topic, chunks, decoders, reach);
  const located = await timeline.locate(at, aheadNs);
  if (located.state === "none") throw new UnreadableMessage("There is no keyframe before this moment.");
  const { begin, wanted, end } = located;
  const timed = timeline.get(wanted);
  if (!timed?.unit) throw new UnreadableMessage(timed?.reason ?? "The message is missing.");
  const stream = new VideoStream();
  const units: Uint8Array[] = [];
  let index = -1;
  const feed = (number: number): void => {
    const unit = timeline.get(number)?.unit;
    const given = unit && stream.next(unit);
    if (given) units.push(given.data);
    if (given && number <= wanted) index += 1;
  };
  for (const unit of await listParameters(timeline, begin)) stream.learn(unit);
  for (let number = begin; number < end && number <= wanted + stream.reorder; number++) feed(number);
  const { parameters } = stream;
  if (parameters === null) throw new UnreadableMessage("The parameters of the video are missing.");
  const { width, height } = parameters;
  return { codec: timed.unit.codec, units, width, height, index, time: timed.time };
}

/** Those of the topic's first messages, where the keyframe carries none. */
async function listParameters(timeline: VideoTimeline, begin: number) {
  return timeline.get(begin)?.unit?.parameters ? [] : timeline.listFirst();
}
