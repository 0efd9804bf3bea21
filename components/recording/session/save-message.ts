import { saveBlob } from "@/components/kit/save-file";
import { toast } from "@/components/product/toast";
import type { MessagePlace } from "@/components/product/unshown-message";
import type { MessageBytes } from "@/components/recording/thread/message-bytes";

/** A recording of which single messages are read. */
interface MessageSource {
  readMessage: (topic: string, at: bigint) => Promise<MessageBytes | null>;
}

/** The name of a file with a message: its topic, its time in nanoseconds since 1970, and how it is encoded. */
export const toMessageName = ({ topic, time }: MessagePlace, encoding: string): string =>
  `${topic.replaceAll(/[^\w.-]+/g, "-").replace(/^-/, "")}_${time}.${encoding.replaceAll(/\W+/g, "") || "bin"}`;

/** Saves the bytes of a message as they were recorded. */
export async function saveMessage(source: MessageSource, message: MessagePlace): Promise<void> {
  const title = `The message of ${message.topic} could not be saved`;
  try {
    const read = await source.readMessage(message.topic, message.time);
    if (read === null) toast.failure(title);
    else saveBlob(new Blob([read.data]), toMessageName(message, read.encoding));
  } catch (error) {
    toast.failure(error, { title });
  }
}
