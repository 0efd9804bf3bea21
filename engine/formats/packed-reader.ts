import type { ByteSource } from "@/engine/formats/byte-source";
import { ChunkReader } from "@/engine/formats/chunk-reader";
import type { Codecs } from "@/engine/formats/codecs";
import {
  SharedSets,
  Warnings,
  type IndexedFile,
  type OpenContext,
  type PackedFile,
} from "@/engine/formats/indexed-file";
import { Allowance } from "@/engine/formats/limits";
import { openPackedMcap } from "@/engine/formats/mcap";
import { MergedReader } from "@/engine/formats/merged-reader";
import { decodePack } from "@/engine/formats/packed-recording";
import { ReadAhead } from "@/engine/formats/read-ahead";
import { RecordingError } from "@/engine/formats/recording-error";
import { openPackedRosbag } from "@/engine/formats/rosbag";

/** A recording opened by its pack. */
export interface OpenPack {
  reader: MergedReader;
  chunks: ChunkReader;
  /** Its files as the pack describes them, and open, in the same order. */
  packed: PackedFile[];
  files: IndexedFile[];
  allowance: Allowance;
  warnings: Warnings;
}

/**
 * Opens a recording whose chunks are known from `RecordingReader.pack`: nothing is read but what holds wanted messages.
 * `sources`: its files by the ids in the pack; `budgetBytes`: of chunks that are kept in memory. Null for a pack of another version; throws a RecordingError for a damaged
 * one.
 */
export function openPacked(
  pack: Uint8Array,
  sources: ReadonlyMap<string, ByteSource>,
  codecs: Codecs,
  budgetBytes?: number,
): OpenPack | null {
  const allowance = new Allowance();
  const warnings = new Warnings();
  const context: OpenContext = { codecs, allowance, warnings, sets: new SharedSets() };
  const packed = decodePack(pack, context.sets);
  if (packed === null) return null;
  const files = packed.map((file) => {
    const source = sources.get(file.id);
    if (source === undefined) throw new RecordingError("A file of the recording is missing.");
    const open = file.format === "mcap" ? openPackedMcap : openPackedRosbag;
    return open(file, new ReadAhead(source), context);
  });
  // The reader numbers the channels of all files, which both ways of reading need.
  const reader = new MergedReader(files, allowance, warnings);
  return { reader, chunks: new ChunkReader(files, budgetBytes), packed, files, allowance, warnings };
}
