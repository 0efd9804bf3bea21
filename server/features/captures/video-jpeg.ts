import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { UnreadableMessage } from "@/engine/messages/reading";
import { toJpeg, type Jpeg } from "@/server/features/captures/jpeg";
import { findVideoPicture } from "@/server/features/recordings/frame-service";
import { decodePicture, findFfmpeg, VideoUndecoded } from "@/server/platform/video/ffmpeg";

/** Pixels on the longer side of what is decoded. */
const maxSide = 640;

/** The picture of a topic of video at a moment, decoded by ffmpeg. Throws UnreadableMessage without a picture or ffmpeg. */
export async function readVideoJpeg(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  { topic, at }: { topic: string; at: bigint },
  signal: AbortSignal,
): Promise<Jpeg> {
  const program = findFfmpeg();
  if (program === null) throw new UnreadableMessage("Pictures of video are kept only where the server has ffmpeg.");
  try {
    const wanted = await findVideoPicture(chunks, decoders, topic, at);
    const data = await decodePicture(program, { ...wanted, maxSide }, signal);
    return await toJpeg({ kind: "compressed", mediaType: "image/jpeg", data });
  } catch (error) {
    if (error instanceof VideoUndecoded) throw new UnreadableMessage(error.message);
    throw error;
  }
}
