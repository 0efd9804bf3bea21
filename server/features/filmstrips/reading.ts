import type { ByteSource } from "@/engine/formats/byte-source";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { isVideoSchema } from "@/engine/messages/pictures/picture-schemas";
import { findPictureAdapter } from "@/engine/messages/pictures/pictures";
import { VideoTimeline } from "@/engine/messages/pictures/video-timeline";
import { UnreadableMessage } from "@/engine/messages/reading";
import { toJpeg } from "@/server/features/captures/jpeg";
import { findVideoPicture } from "@/server/features/recordings/frame-service";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { decodePicture, findFfmpeg, VideoUndecoded } from "@/server/platform/video/ffmpeg";

/** The length of the longer side, in pixels, and the quality of the JPEG: about four kilobytes. */
const small = { maxSide: 96, quality: 60 };
const maxCameras = 16;
/** Pictures of videos in one recording: each takes a process a sixth of a second. */
const maxDecoded = 480;
/** How far before a moment its keyframe is looked for. */
const videoReach = { span: 20_000_000_000n, maxBytes: 64 * 1024 * 1024 };
/** Bytes that are read of the files; beyond them there are fewer pictures. */
const maxReadBytes = 1024 * 1024 * 1024;
/** Bytes of unpacked chunks that are kept in memory. */
const chunkBytes = 64 * 1024 * 1024;

/** A small picture, at the time at which it was logged. */
export interface Frame {
  time: bigint;
  bytes: Uint8Array;
}

/** What is read of a recording. */
export interface FilmWanted {
  /** The recording's. */
  range: { start: bigint; end: bigint };
  /** Topics of cameras. */
  topics: readonly string[];
}

class OutOfBudget extends Error {}

/** The pictures of each camera, and the topics of video that nothing here can decode. */
export interface FoundFrames {
  frames: Map<string, Frame[]>;
  undecoded: string[];
}

/**
 * Reads small pictures of cameras, evenly in time, by the table of chunks; of video the keyframes before those times, which
 * ffmpeg decodes where the server has it. Null for a table of another version.
 */
export async function readFrames(
  pack: Uint8Array,
  files: readonly ByteSource[],
  { range, topics }: FilmWanted,
  signal: AbortSignal,
): Promise<FoundFrames | null> {
  let left = maxReadBytes;
  const limited = files.map((file): ByteSource => ({
    ...file,
    read: (offset, length, target) => {
      signal.throwIfAborted();
      left -= length;
      if (left < 0) throw new OutOfBudget();
      return file.read(offset, length, target);
    },
  }));
  const sources = new Map(limited.map((source) => [source.id ?? "", source]));
  const opened = openPacked(pack, sources, await recordingCodecs(), chunkBytes);
  if (opened === null) return null;
  opened.chunks.range = range;
  const program = findFfmpeg();
  const reading = new FrameReading(opened.chunks, program, signal);
  const isVideo = (topic: string) => opened.chunks.listSchemas(topic).some(isVideoSchema);
  const cameras = topics.slice(0, maxCameras).filter((topic) => program !== null || !isVideo(topic));
  const undecoded = topics.filter((topic) => program === null && isVideo(topic));
  try {
    // All cameras at a moment: they lie in the same chunks.
    for (const at of listMoments(range))
      for (const topic of cameras) await (isVideo(topic) ? reading.addKeyframe(topic, at) : reading.add(topic, at));
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
  }
  return { frames: reading.frames, undecoded };
}

class FrameReading {
  readonly frames = new Map<string, Frame[]>();
  private readonly decoders = new MessageDecoders();
  private readonly seen = new Map<string, Set<bigint>>();

  private decoded = 0;

  constructor(
    private readonly chunks: ChunkReader,
    /** ffmpeg; null where there is none. */
    private readonly program: string | null,
    private readonly signal: AbortSignal,
  ) {}

  /** Adds the picture of a camera at a moment, unless it is there already or cannot be shown. */
  async add(topic: string, at: bigint): Promise<void> {
    await this.orNone(async () => {
      const message = await this.chunks.findLatest(topic, at);
      if (message === null || !this.isNew(topic, message.logTime)) return;
      const bytes = await this.shrink(message);
      if (bytes !== null) this.keep(topic, { time: message.logTime, bytes });
    });
  }

  /** Adds the keyframe of a video at or before a moment, unless it is there already or cannot be decoded. */
  async addKeyframe(topic: string, at: bigint): Promise<void> {
    await this.orNone(async () => {
      if (this.program === null || this.decoded >= maxDecoded) return;
      const timeline = new VideoTimeline(topic, this.chunks, this.decoders, videoReach);
      const located = await timeline.locate(at, 0n);
      const time = located.state === "found" ? timeline.get(located.key)?.time : undefined;
      if (time === undefined || !this.isNew(topic, time)) return;
      const wanted = await findVideoPicture(this.chunks, this.decoders, topic, time);
      this.decoded += 1;
      const bytes = await decodePicture(this.program, { ...wanted, maxSide: small.maxSide }, this.signal);
      this.keep(topic, { time, bytes });
    });
  }

  /** What cannot be shown has no picture. */
  private async orNone(add: () => Promise<void>): Promise<void> {
    this.signal.throwIfAborted();
    try {
      await add();
    } catch (error) {
      const isUnshown =
        error instanceof UnreadableMessage || error instanceof RecordingError || error instanceof VideoUndecoded;
      if (!isUnshown) throw error;
    }
  }

  private keep(topic: string, frame: Frame): void {
    const frames = this.frames.get(topic) ?? [];
    frames.push(frame);
    this.frames.set(topic, frames);
  }

  private isNew(topic: string, time: bigint): boolean {
    const seen = this.seen.get(topic) ?? new Set();
    this.seen.set(topic, seen);
    return seen.size < seen.add(time).size;
  }

  private async shrink(message: RawMessage): Promise<Uint8Array | null> {
    const adapter = findPictureAdapter(message.channel.schemaName);
    return adapter && (await toJpeg(adapter(this.decoders.decode(message)), small)).bytes;
  }
}

/** Moments of which pictures are made, at most so many. */
const maxFrames = 120;

/** The place of a number in an order that fills a range evenly however early it ends (van der Corput). */
function spread(number: number): number {
  let place = 0;
  for (let part = 0.5, rest = number; rest > 0; rest >>= 1, part /= 2) if (rest & 1) place += part;
  return place;
}

/** Moments within a range, in an order in which the first ones are spread over all of it. Nanoseconds. */
export function listMoments({ start, end }: { start: bigint; end: bigint }, count = maxFrames): bigint[] {
  const slots = Array.from({ length: count }, (_, slot) => slot);
  const order = slots.toSorted((a, b) => spread(a) - spread(b));
  // Each slot is taken once: the place of a number in the order is the slot that it stands for.
  const rank = new Map(order.map((slot, place) => [slot, place]));
  const step = (end - start) / BigInt(count);
  return slots.map((slot) => start + step * BigInt(rank.get(slot)!) + step / 2n);
}
