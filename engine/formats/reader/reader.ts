import { equalBytes } from "@/engine/bytes";
import type { ByteSource } from "@/engine/formats/byte-source";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import { SharedSets, Warnings, type IndexedFile } from "@/engine/formats/indexed-file";
import { Allowance, type ReaderLimits } from "@/engine/formats/limits";
import type { UnpackThread } from "@/engine/formats/mcap/chunk-job";
import { ChunksAhead } from "@/engine/formats/mcap/chunks-ahead";
import { openMcap } from "@/engine/formats/mcap/mcap";
import type { McapContext } from "@/engine/formats/mcap/mcap-context";
import { MCAP_MAGIC } from "@/engine/formats/mcap/mcap-records";
import { createUnpackMessage } from "@/engine/formats/packed-message";
import { PieceMemory, ReadAhead } from "@/engine/formats/read-ahead";
import { MergedReader } from "@/engine/formats/reader/merged-reader";
import { reasonNotRead, warnOfUnread, type UnreadFile } from "@/engine/formats/reader/unread-files";
import { RecordingError } from "@/engine/formats/recording-error";
import { openRosbag } from "@/engine/formats/rosbag/rosbag";
import { BAG_MAGIC } from "@/engine/formats/rosbag/rosbag-records";

/**
 * Opens the files of one recording as one stream, with formats detected by magic bytes. Files of other formats beside a
 * readable one make a warning. What the definitions of channels lack is added by the first completer. Throws a RecordingError when no file can be read and for anything over the limits; all
 * other damage is read as far as it goes. `thread`: unpacks chunks beside a pass over all of them.
 */
export async function openRecording(
  files: readonly ByteSource[],
  codecs: Codecs,
  limits: ReaderLimits = {},
  thread: UnpackThread | null = null,
): Promise<MergedReader> {
  if (files.length === 0) throw new RecordingError("The recording holds no files.");
  const allowance = new Allowance(limits);
  const warnings = new Warnings();
  const ahead = thread && new ChunksAhead(thread, codecs);
  const context: McapContext = { codecs, allowance, warnings, sets: new SharedSets(), ahead };
  for (const file of files) allowance.addFile(file.uploadedBytes ?? file.size);
  allowance.resume();
  const memory = thread?.memory.pieces ?? new PieceMemory();
  const indexed: IndexedFile[] = [];
  const unread: UnreadFile[] = [];
  try {
    for (const file of files) {
      const opened = file.unread ?? (await openFile(new ReadAhead(file, memory), context));
      if (typeof opened === "string") unread.push({ name: file.name ?? null, reason: opened });
      else indexed.push(opened);
    }
  } finally {
    allowance.pause();
  }
  if (indexed.length === 0) {
    const reason = unread[0]?.reason ?? "";
    throw new RecordingError(
      files.length === 1
        ? `The file ${reason}.`
        : `None of the ${files.length} files can be read. The first ${reason}.`,
    );
  }
  warnOfUnread(unread, warnings);
  const completer = files.find((file) => file.completer !== undefined)?.completer ?? null;
  const unpack = createUnpackMessage(codecs.zstd, (bytes) => allowance.addMessage(bytes));
  return new MergedReader(indexed, allowance, warnings, unpack, ahead, completer);
}

/** Opens one file; the reason, when it is none that can be read. */
async function openFile(file: ReadAhead, context: McapContext): Promise<IndexedFile | string> {
  if (file.size === 0) return "is empty (zero bytes)";
  const magic = await file.read(0, BAG_MAGIC.length);
  if (equalBytes(magic.subarray(0, MCAP_MAGIC.length), MCAP_MAGIC)) return openMcap(file, context);
  if (equalBytes(magic, BAG_MAGIC)) return openRosbag(file, context);
  return reasonNotRead(magic);
}
