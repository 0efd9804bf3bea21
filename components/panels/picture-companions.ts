import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import { readCalibration } from "@/engine/messages/calibration";
import type { Calibration } from "@/engine/messages/camera-model";
import type { ColourScale } from "@/engine/messages/colour-scale";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { findOverlay, findStamp, type Overlay } from "@/engine/messages/picture-overlays";
import type { ValueRange } from "@/engine/messages/raw-pixels";
import { UnreadableMessage } from "@/engine/messages/reading";
import type { PictureOptions } from "./picture-view";

/** What a panel chose for its pictures. */
export interface PictureChoice {
  scale: ColourScale;
  range: ValueRange | null;
  /** The topic of the camera's calibration, to remove the distortion of the lens by; null to leave it. */
  calibration: string | null;
}

/** A topic that is drawn over pictures. */
export interface OverlayTopic {
  name: string;
  frequency_hz: number;
}

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
    return message ? readCalibration(decoders.decode(message)) : `No messages of ${topic}.`;
  } catch (error) {
    if (error instanceof UnreadableMessage || error instanceof RecordingError) return error.message;
    throw error;
  }
}

/** Of a topic of unknown frequency, nanoseconds. */
const unknownPeriod = 1_000_000_000n;

const toPeriod = (hz: number): bigint => (hz > 0 ? BigInt(Math.round(1e9 / hz)) : unknownPeriod);

/** What topics draw over the picture of a topic that was logged at a time. One that cannot be read says why in its notes. */
export async function readOverlays(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  { topic, time }: { topic: string; time: bigint },
  overlays: readonly OverlayTopic[],
): Promise<Overlay[]> {
  const picture = await chunks.findLatest(topic, time);
  if (picture === null) return [];
  const seen = { time: picture.logTime, stamp: findStamp(decoders.decode(picture)) };
  const found = await Promise.all(
    overlays.map(async ({ name, frequency_hz: hz }): Promise<Overlay | null> => {
      try {
        return await findOverlay(chunks, decoders, { topic: name, period: toPeriod(hz) }, seen);
      } catch (error) {
        if (!(error instanceof UnreadableMessage || error instanceof RecordingError)) throw error;
        return { topic: name, matches: true, stamp: null, shapes: [], notes: [error.message] };
      }
    }),
  );
  return found.filter((overlay) => overlay !== null);
}
