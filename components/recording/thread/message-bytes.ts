import { transfer } from "comlink";
import type { ChunkReader } from "@/engine/formats/chunk-reader";

/** A message as it was recorded. */
export interface MessageBytes {
  /** Such as `cdr`, `json` or `protobuf`. */
  encoding: string;
  data: Uint8Array<ArrayBuffer>;
}

/** The message of a topic at exactly a time, for another thread; null without one. */
export async function readMessageBytes(chunks: ChunkReader, topic: string, time: bigint): Promise<MessageBytes | null> {
  const message = (await chunks.listBetween(topic, { start: time, end: time })).at(-1);
  if (!message) return null;
  // A copy: the chunk stays.
  const data = new Uint8Array(message.data);
  return transfer({ encoding: message.channel.messageEncoding, data }, [data.buffer]);
}
