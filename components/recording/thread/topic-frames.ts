import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { readFrame } from "@/engine/messages/pose";
import { readFields, readList, UnreadableMessage } from "@/engine/messages/reading";

/** The frames that the messages of topics name, by topic; without those that name none. */
export type TopicFrames = Readonly<Record<string, string>>;

/** The frame that the first message of each topic names. What cannot be read names none. */
export async function readTopicFrames(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  topics: readonly string[],
): Promise<TopicFrames> {
  const found: Record<string, string> = {};
  for (const topic of topics) {
    try {
      const message = await chunks.findFirst(topic);
      const frame = message ? findFrame(decoders.decode(message)) : "";
      if (frame !== "") found[topic] = frame;
    } catch (error) {
      if (!(error instanceof UnreadableMessage || error instanceof RecordingError)) throw error;
    }
  }
  return found;
}

/** The frame of a message; for a list of markers that of the first one. */
function findFrame(value: unknown): string {
  const fields = readFields(value);
  const own = readFrame(fields);
  if (own !== "") return own;
  const [first] = Array.from(readList(fields, "markers"));
  return first === undefined ? "" : readFrame(readFields(first));
}
