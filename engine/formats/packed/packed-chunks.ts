import type { ByteSource } from "@/engine/formats/byte-source";
import { ChunkReader } from "@/engine/formats/chunk-reader";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import { SharedSets, Warnings, type IndexedFile, type PackedFile } from "@/engine/formats/indexed-file";
import { joinChannels } from "@/engine/formats/joined-channels";
import { Allowance } from "@/engine/formats/limits";
import { openPackedMcap, type IndexMcap } from "@/engine/formats/mcap/mcap";
import type { McapContext } from "@/engine/formats/mcap/mcap-context";
import { createUnpackMessage, type UnpackMessage } from "@/engine/formats/packed-message";
import { decodePack } from "@/engine/formats/packed-recording";
import { ReadAhead } from "@/engine/formats/read-ahead";
import { RecordingError } from "@/engine/formats/recording-error";
import { openPackedRosbag } from "@/engine/formats/rosbag/rosbag";

/** Chunks of a recording opened by its pack. */
export interface PackedChunks {
  chunks: ChunkReader;
  /** Its files as the pack describes them, and open, in the same order. */
  packed: PackedFile[];
  files: IndexedFile[];
  allowance: Allowance;
  warnings: Warnings;
  unpack: UnpackMessage;
}

/** How much of a recording is kept in memory, and how a file is indexed anew whose pack does not fit. */
interface PackedOptions {
  /** Of unpacked chunks. */
  budgetBytes?: number | undefined;
  /** Not needed to read single messages. */
  index?: IndexMcap;
}

/**
 * Opens a recording whose chunks are known from `RecordingReader.pack`: nothing is read but what holds wanted messages.
 * `sources`: its files by the ids in the pack. Null for a pack of another version; throws a RecordingError for a damaged
 * one.
 */
export function openPackedChunks(
  pack: Uint8Array,
  sources: ReadonlyMap<string, ByteSource>,
  codecs: Codecs,
  { budgetBytes, index }: PackedOptions = {},
): PackedChunks | null {
  const allowance = new Allowance();
  const warnings = new Warnings();
  const context: McapContext = { codecs, allowance, warnings, sets: new SharedSets(), ahead: null };
  const packed = decodePack(pack, context.sets);
  if (packed === null) return null;
  const files = packed.map((file) => {
    const source = sources.get(file.id);
    if (source === undefined) throw new RecordingError("A file of the recording is missing.");
    const ahead = new ReadAhead(source);
    return file.format === "mcap"
      ? openPackedMcap(file, ahead, context, index)
      : openPackedRosbag(file, ahead, context);
  });
  // Of the definitions that a pack holds, those that lacked something are complete.
  const unpack = createUnpackMessage(codecs.zstd);
  joinChannels(files, unpack, null);
  return { chunks: new ChunkReader(files, budgetBytes), packed, files, allowance, warnings, unpack };
}
