import type { ByteSource } from "@/engine/formats/byte-source";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { openPacked } from "@/engine/formats/packed-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { findPictureAdapter } from "@/engine/messages/pictures";
import { UnreadableMessage } from "@/engine/messages/reading";
import { toJpeg } from "@/server/features/captures/jpeg";
import { listMoments } from "@/server/features/filmstrips/moments";
import { recordingCodecs } from "@/server/platform/recording-codecs";

/** Of the longer side, in pixels, and the quality of the JPEG: about four kilobytes. */
const small = { maxSide: 96, quality: 60 };
const maxCameras = 16;
/** Bytes that are read of the files; beyond them there are fewer pictures. */
const maxReadBytes = 1024 * 1024 * 1024;
/** Of unpacked chunks that are kept in memory. */
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

/** Reads small pictures of cameras, evenly in time, by the table of chunks. Null for a table of another version. */
export async function readFrames(
  pack: Uint8Array,
  files: readonly ByteSource[],
  { range, topics }: FilmWanted,
  signal: AbortSignal,
): Promise<Map<string, Frame[]> | null> {
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
  const reading = new FrameReading(opened.chunks, signal);
  const cameras = topics.slice(0, maxCameras);
  try {
    // All cameras at a moment: they lie in the same chunks.
    for (const at of listMoments(range)) for (const topic of cameras) await reading.add(topic, at);
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
  }
  return reading.frames;
}

class FrameReading {
  readonly frames = new Map<string, Frame[]>();
  private readonly decoders = new MessageDecoders();
  private readonly seen = new Map<string, Set<bigint>>();

  constructor(
    private readonly chunks: ChunkReader,
    private readonly signal: AbortSignal,
  ) {}

  /** Adds the picture of a camera at a moment, unless it is there already or cannot be shown. */
  async add(topic: string, at: bigint): Promise<void> {
    this.signal.throwIfAborted();
    try {
      const message = await this.chunks.findLatest(topic, at);
      if (message === null || !this.isNew(topic, message.logTime)) return;
      const bytes = await this.shrink(message);
      if (bytes === null) return;
      const frames = this.frames.get(topic) ?? [];
      frames.push({ time: message.logTime, bytes });
      this.frames.set(topic, frames);
    } catch (error) {
      if (!(error instanceof UnreadableMessage || error instanceof RecordingError)) throw error;
    }
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
