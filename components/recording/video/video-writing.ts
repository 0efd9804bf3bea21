import type { Output } from "mediabunny";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { isVideoSchema } from "@/engine/messages/pictures/picture-schemas";
import { findPictureAdapter } from "@/engine/messages/pictures/pictures";
import { readVideoUnit, type VideoUnit } from "@/engine/messages/pictures/video";
import { VideoStream } from "@/engine/messages/pictures/video-stream";
import { VideoTimeline } from "@/engine/messages/pictures/video-timeline";
import { UnreadableMessage } from "@/engine/messages/reading";
import { PictureEncoder } from "./picture-encoder";
import { canCopy, VideoCopy } from "./video-copy";
import { VideoRecode } from "./video-recode";

/** A camera and a range of time, nanoseconds since 1970, both ends included. */
export interface VideoRange {
  topic: string;
  from: bigint;
  to: bigint;
}

/** What a file holds. */
export interface WrittenVideo {
  pictures: number;
  /** Messages that are not in it, since they cannot be read. */
  unreadable: number;
  codec: string;
  /** Whether the video is in it as it was recorded. */
  isCopy: boolean;
}

interface Watch {
  signal: AbortSignal;
  onProgress: (share: number) => void;
}

const stepNs = 1_000_000_000n;
const maxAheadBytes = 32 * 1024 * 1024;
const reach = { span: 20_000_000_000n, maxBytes: 128 * 1024 * 1024 };
/** Units by which it is decided whether a video can be copied. */
const examined = 64;

/** Writes the pictures or the video of a topic into a file that has begun nothing yet. Throws when there is nothing to write. */
export async function writeVideo(
  output: Output,
  chunks: ChunkReader,
  range: VideoRange,
  watch: Watch,
): Promise<WrittenVideo> {
  const decoders = new MessageDecoders();
  const isVideo = chunks.listSchemas(range.topic).some(isVideoSchema);
  const written = await (isVideo ? writeUnits : writePictures)(output, chunks, decoders, range, watch);
  if (written.pictures > 0) return written;
  throw new Error(
    written.unreadable > 0 ? "No picture in this range can be read." : "The camera has no picture in this range.",
  );
}

/** The messages of a topic in the order of time, a second at a time, so that memory does not grow with the range. */
async function* listMessages(chunks: ChunkReader, { topic, from, to }: VideoRange, watch: Watch) {
  const [begin, end] = [
    from > chunks.range.start ? from : chunks.range.start,
    to < chunks.range.end ? to : chunks.range.end,
  ];
  for (let at = begin; at <= end; at += stepNs) {
    void chunks.prefetch([topic], { start: at, end: at + 2n * stepNs }, maxAheadBytes);
    const last = at + stepNs - 1n < end ? at + stepNs - 1n : end;
    for (const message of await chunks.listBetween(topic, { start: at, end: last })) {
      watch.signal.throwIfAborted();
      yield message;
    }
    watch.signal.throwIfAborted();
    watch.onProgress(end > begin ? Number(last - begin) / Number(end - begin) : 1);
  }
}

async function writePictures(
  output: Output,
  chunks: ChunkReader,
  decoders: MessageDecoders,
  range: VideoRange,
  watch: Watch,
): Promise<WrittenVideo> {
  const encoder = new PictureEncoder(output);
  let unreadable = 0;
  for await (const message of listMessages(chunks, range, watch)) {
    try {
      await encoder.view.draw(readPicture(message, decoders));
    } catch (error) {
      if (!isOfMessage(error)) throw error;
      unreadable += 1;
      continue;
    }
    await encoder.add(message.logTime);
  }
  await encoder.finish();
  return { pictures: encoder.count, unreadable, codec: encoder.codec ?? "", isCopy: false };
}

function readPicture(message: RawMessage, decoders: MessageDecoders) {
  const adapter = findPictureAdapter(message.channel.schemaName);
  if (adapter === null) throw new UnreadableMessage("The messages are no pictures.");
  return adapter(decoders.decode(message));
}

/** Whether one message is to blame; browsers' decoders of pictures throw a DOMException. */
const isOfMessage = (error: unknown): boolean =>
  error instanceof UnreadableMessage || error instanceof RecordingError || error instanceof DOMException;

async function writeUnits(
  output: Output,
  chunks: ChunkReader,
  decoders: MessageDecoders,
  range: VideoRange,
  watch: Watch,
): Promise<WrittenVideo> {
  const from = await findBegin(chunks, decoders, range);
  let unreadable = 0;
  const read = (message: RawMessage): VideoUnit | null => {
    try {
      return readVideoUnit(decoders.decode(message));
    } catch (error) {
      if (!isOfMessage(error)) throw error;
      unreadable += 1;
      return null;
    }
  };
  const stream = new VideoStream();
  for (const message of await chunks.listBetween(range.topic, chunks.range, 8)) {
    const unit = read(message);
    if (unit) stream.learn(unit);
  }
  const head = await chunks.listBetween(range.topic, { start: from, end: chunks.range.end }, examined);
  const isCopy = canCopy(head.flatMap((message) => read(message) ?? []));
  unreadable = 0;
  const encoder = new PictureEncoder(output);
  const writer = isCopy ? new VideoCopy(output, stream) : new VideoRecode(encoder, stream);
  try {
    for await (const message of listMessages(chunks, { ...range, from }, watch)) {
      const unit = read(message);
      if (unit) await writer.add(message.logTime, unit);
    }
    await writer.finish();
    await encoder.finish();
  } finally {
    if (writer instanceof VideoRecode) writer.close();
  }
  const { count, codec } = writer instanceof VideoCopy ? writer : encoder;
  return { pictures: count, unreadable, codec: codec ?? "", isCopy };
}

/** Where a video that begins with a keyframe has to begin, so that all of a range is in it. */
async function findBegin(chunks: ChunkReader, decoders: MessageDecoders, { topic, from }: VideoRange): Promise<bigint> {
  const timeline = new VideoTimeline(topic, chunks, decoders, reach);
  const located = await timeline.locate(from, 0n);
  if (located.state !== "found") return located.first ?? from;
  return timeline.get(located.begin)?.time ?? from;
}
