import pLimit from "p-limit";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { UnreadableMessage } from "@/engine/messages/reading";
import type { ItemFile } from "@/server/features/moments/item-file";
import { findVideoPicture } from "@/server/features/recordings/frame-service";
import { decodePicture, findFfmpeg, VideoUndecoded } from "@/server/platform/video/ffmpeg";

/** Pixels on the longer side, beyond which a picture of video is made smaller. */
const maxSide = 8_192;

/** Makes pictures of messages of video. What each depends on is looked up in the recording, one after the other. */
export class VideoFrames {
  private readonly looking = pLimit(1);

  constructor(
    private readonly chunks: ChunkReader,
    private readonly decoders: MessageDecoders,
    private readonly signal: AbortSignal,
  ) {}

  /** The picture of a message as JPEG. Throws UnreadableMessage where there is none, or no ffmpeg. */
  async toFile({ channel, logTime }: RawMessage): Promise<ItemFile> {
    const program = findFfmpeg();
    if (program === null) throw new UnreadableMessage("Pictures of video are made only where the server has ffmpeg.");
    const wanted = await this.looking(() => findVideoPicture(this.chunks, this.decoders, channel.topic, logTime));
    if (wanted.time !== logTime) throw new UnreadableMessage("The message holds no picture of the video.");
    try {
      const bytes = await decodePicture(program, { ...wanted, maxSide }, this.signal);
      return { extension: "jpg", bytes: new Uint8Array(bytes) };
    } catch (error) {
      if (error instanceof VideoUndecoded) throw new UnreadableMessage(error.message);
      throw error;
    }
  }
}
