import { asBuffer, type ByteSource } from "@/engine/formats/byte-source";
import { Warnings, type IndexedFile } from "@/engine/formats/indexed-file";
import { Allowance, type ReaderLimits } from "@/engine/formats/limits";
import { openMcap } from "@/engine/formats/mcap";
import { MCAP_MAGIC } from "@/engine/formats/mcap-records";
import { MergedReader } from "@/engine/formats/merged-reader";
import type { RecordingReader } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { openRosbag } from "@/engine/formats/rosbag";
import { BAG_MAGIC } from "@/engine/formats/rosbag-records";

/**
 * Opens the files of one recording as one stream, telling formats by their first bytes. Throws a RecordingError for no
 * or empty files, unknown formats and anything over the limits; all other damage is read as far as it goes.
 */
export async function openRecording(files: ByteSource[], limits: ReaderLimits = {}): Promise<RecordingReader> {
  if (files.length === 0) throw new RecordingError("The recording holds no files.");
  const allowance = new Allowance(limits);
  const warnings = new Warnings();
  for (const file of files) allowance.addFile(file.size);
  allowance.resume();
  const indexed: IndexedFile[] = [];
  try {
    for (const [i, file] of files.entries()) {
      indexed.push(await openFile(file, files.length === 1 ? "The file" : `File ${i + 1}`, allowance, warnings));
    }
  } finally {
    allowance.pause();
  }
  return new MergedReader(indexed, allowance, warnings);
}

async function openFile(
  file: ByteSource,
  name: string,
  allowance: Allowance,
  warnings: Warnings,
): Promise<IndexedFile> {
  if (file.size === 0) throw new RecordingError(`${name} is empty (zero bytes).`);
  const magic = asBuffer(await file.read(0, BAG_MAGIC.length));
  if (magic.subarray(0, MCAP_MAGIC.length).equals(MCAP_MAGIC)) return openMcap(file, allowance, warnings);
  if (magic.equals(BAG_MAGIC)) return openRosbag(file, allowance, warnings);
  if (magic.toString("latin1").startsWith("#ROSBAG V")) {
    throw new RecordingError(`${name} is a ROS bag of a version other than 2.0, which cannot be read.`);
  }
  throw new RecordingError(`${name} is neither an MCAP file nor a ROS 1 bag.`);
}
