import { describeNone } from "@/components/product/panel-texts";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import type { ColourScale } from "@/engine/messages/colour-scale";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { readCalibration } from "@/engine/messages/pictures/calibration";
import type { Calibration } from "@/engine/messages/pictures/camera-model";
import type { ValueRange } from "@/engine/messages/pictures/raw-pixels";
import { UnreadableMessage } from "@/engine/messages/reading";
import type { PictureOptions } from "./picture-view";

/** What a panel chose for its pictures. */
export interface PictureChoice {
  scale: ColourScale;
  range: ValueRange | null;
  /** The topic of the camera's calibration, to remove the distortion of the lens by; null to leave it. */
  calibration: string | null;
}

/** How a panel's pictures are drawn by what it chose. */
export async function readPictureOptions(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  { scale, range, calibration }: PictureChoice,
  at: bigint,
): Promise<PictureOptions> {
  if (calibration === null) return { scale, range, calibration };
  return { scale, range, calibration: await findCalibration(chunks, decoders, calibration, at) };
}

/** The calibration at a moment, or the first one; a text that says why there is none. */
async function findCalibration(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  topic: string,
  at: bigint,
): Promise<Calibration | string> {
  try {
    const message = (await chunks.findLatest(topic, at)) ?? (await chunks.findFirst(topic));
    return message ? readCalibration(decoders.decode(message)) : describeNone(topic);
  } catch (error) {
    if (error instanceof UnreadableMessage || error instanceof RecordingError) return error.message;
    throw error;
  }
}
