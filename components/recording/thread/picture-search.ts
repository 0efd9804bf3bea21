import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { findLookalikeAdapter } from "@/engine/messages/pictures/pictures";

/** The topics whose first message holds a picture, whatever its schema is called. What cannot be read holds none. */
export async function findPictures(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  topics: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const topic of topics) {
    try {
      const message = await chunks.findFirst(topic);
      if (message && findLookalikeAdapter(decoders.decode(message)) !== null) found.push(topic);
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
    }
  }
  return found;
}
