import { memorySource } from "@/engine/formats/byte-source";
import type { ReaderLimits } from "@/engine/formats/limits";
import { openRecording } from "@/engine/formats/reader/reader";
import { type RawMessage, type ReadOptions, type RecordingReader } from "@/engine/formats/recording";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

/** A message as tests compare it: everything that has to be the same however a recording is stored. */
export interface Drained {
  topic: string;
  time: bigint;
  publishTime: bigint;
  sequence: number;
  hex: string;
}

/** Opens files in memory as one recording, with the codecs that the product uses. */
export const openBytes = async (files: readonly Uint8Array[], limits: ReaderLimits = {}): Promise<RecordingReader> =>
  openRecording(files.map(memorySource), await recordingCodecs(), limits);

/** Opens the files as one recording and reads all its messages. */
export async function drain(
  files: Uint8Array[],
  options: ReadOptions = {},
  limits: ReaderLimits = {},
): Promise<Drained[]> {
  return drainReader(await openBytes(files, limits), options);
}

/** Reads all messages of an open recording. */
export async function drainReader(reader: RecordingReader, options: ReadOptions = {}): Promise<Drained[]> {
  const drained: Drained[] = [];
  for await (const batch of reader.messages(options)) drained.push(...batch.map(toDrained));
  return drained;
}

function toDrained({ channel, logTime, publishTime, sequence, data }: RawMessage): Drained {
  return { topic: channel.topic, time: logTime, publishTime, sequence, hex: Buffer.from(data).toString("hex") };
}
