import { equalBytes, latin1Text } from "@/engine/bytes";
import type { ByteSource } from "@/engine/formats/byte-source";
import type { Codecs } from "@/engine/formats/codecs";
import { SharedSets, Warnings, type IndexedFile, type OpenContext } from "@/engine/formats/indexed-file";
import { Allowance, type ReaderLimits } from "@/engine/formats/limits";
import { openMcap } from "@/engine/formats/mcap";
import { MCAP_MAGIC } from "@/engine/formats/mcap-records";
import { MergedReader } from "@/engine/formats/merged-reader";
import { ReadAhead } from "@/engine/formats/read-ahead";
import { RecordingError } from "@/engine/formats/recording-error";
import { openRosbag } from "@/engine/formats/rosbag";
import { BAG_MAGIC } from "@/engine/formats/rosbag-records";

/**
 * Opens the files of one recording as one stream, with formats detected by magic bytes. Throws a RecordingError for no
 * or empty files, unknown formats and anything over the limits; all other damage is read as far as it goes.
 */
export async function openRecording(
  files: readonly ByteSource[],
  codecs: Codecs,
  limits: ReaderLimits = {},
): Promise<MergedReader> {
  if (files.length === 0) throw new RecordingError("The recording holds no files.");
  const allowance = new Allowance(limits);
  const warnings = new Warnings();
  const context: OpenContext = { codecs, allowance, warnings, sets: new SharedSets() };
  for (const file of files) allowance.addFile(file.size);
  allowance.resume();
  const indexed: IndexedFile[] = [];
  try {
    for (const [i, file] of files.entries()) {
      const name = files.length === 1 ? "The file" : `File ${i + 1}`;
      indexed.push(await openFile(new ReadAhead(file), name, context));
    }
  } finally {
    allowance.pause();
  }
  return new MergedReader(indexed, allowance, warnings);
}

async function openFile(file: ReadAhead, name: string, context: OpenContext): Promise<IndexedFile> {
  if (file.size === 0) throw new RecordingError(`${name} is empty (zero bytes).`);
  const magic = await file.read(0, BAG_MAGIC.length);
  if (equalBytes(magic.subarray(0, MCAP_MAGIC.length), MCAP_MAGIC)) return openMcap(file, context);
  if (equalBytes(magic, BAG_MAGIC)) return openRosbag(file, context);
  if (latin1Text(magic).startsWith("#ROSBAG V")) {
    throw new RecordingError(`${name} is a ROS bag of a version other than 2.0, which cannot be read.`);
  }
  throw new RecordingError(`${name} is neither an MCAP file nor a ROS 1 bag.`);
}
