import type { ChunkReader } from "@/engine/formats/chunk-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import type { Annotations } from "@/engine/messages/pictures/annotation";
import { projectBoxes, readBoxes } from "@/engine/messages/pictures/detection-boxes";
import { isBoxSchema } from "@/engine/messages/pictures/overlay-schemas";
import { findOverlay, findStamp, type Overlay } from "@/engine/messages/pictures/picture-overlays";
import { chooseStamp } from "@/engine/messages/poses/stamp";
import { UnreadableMessage } from "@/engine/messages/reading";
import { findCamera } from "./camera-sight";
import type { FrameLocator } from "./frame-locator";

/** A topic that is drawn over pictures. */
interface OverlayTopic {
  name: string;
  frequency_hz: number;
}

/** The period taken for a topic of unknown frequency, nanoseconds. */
const unknownPeriod = 1_000_000_000n;

const toPeriod = (hz: number): bigint => (hz > 0 ? BigInt(Math.round(1e9 / hz)) : unknownPeriod);

/** What is to be drawn over a picture of a topic; `space`: what boxes in space need, null where nobody knows how the camera sees. */
export interface WantedOverlays {
  topic: string;
  time: bigint;
  overlays: readonly OverlayTopic[];
  /** Seconds that they stay after their time; null for those nearest to the picture. */
  hold: number | null;
  space: SpaceOfPicture | null;
}

/** What is known of where a picture was taken. */
interface SpaceOfPicture {
  calibration: string;
  isRectified: boolean;
  width: number;
  height: number;
}

/** What topics draw over a picture. One that cannot be read says why in its notes. */
export async function readOverlays(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  frames: () => FrameLocator,
  { topic, time, overlays, hold: seconds, space }: WantedOverlays,
): Promise<Overlay[]> {
  const picture = await chunks.findLatest(topic, time);
  if (picture === null) return [];
  const hold = seconds === null ? null : BigInt(Math.round(seconds * 1e9));
  const seen = { time: picture.logTime, stamp: findStamp(decoders.decode(picture)) };
  const hasBoxes = (name: string) => chunks.listSchemas(name).some(isBoxSchema);
  const found = await Promise.all(
    overlays.map(async ({ name, frequency_hz: hz }): Promise<Overlay | null> => {
      try {
        const read = hasBoxes(name) ? await seeBoxes(chunks, decoders, frames(), { topic, time, space }) : undefined;
        return await findOverlay(chunks, decoders, { topic: name, period: toPeriod(hz), hold }, seen, read);
      } catch (error) {
        if (!(error instanceof UnreadableMessage || error instanceof RecordingError)) throw error;
        return { topic: name, matches: true, stamp: null, shapes: [], notes: [error.message] };
      }
    }),
  );
  return found.filter((overlay) => overlay !== null);
}

/** What draws boxes in space as the camera of a picture sees them. */
async function seeBoxes(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  frames: FrameLocator,
  { topic, time, space }: Omit<WantedOverlays, "overlays" | "hold">,
): Promise<(schemaName: string, messages: readonly unknown[]) => Annotations> {
  if (space === null) throw new UnreadableMessage("The recording has no calibration of this camera.");
  const { view, frame, stamp } = await findCamera(chunks, decoders, { camera: topic, ...space }, { time, ...space });
  await frames.update(time);
  return (_, messages) => {
    const boxes = readBoxes(messages.at(-1));
    const located = frames.locate(boxes.frame || frame, chooseStamp(boxes.stamp, time), frame, stamp);
    if (!("pose" in located)) throw new UnreadableMessage(located.reason);
    return projectBoxes(boxes, located.pose, view);
  };
}
