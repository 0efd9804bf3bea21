import { describeNone } from "@/components/product/panel-texts";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { readCalibration } from "@/engine/messages/pictures/calibration";
import { CameraView, checkCalibratedSize } from "@/engine/messages/pictures/camera-model";
import { readFrame } from "@/engine/messages/pose";
import { chooseStamp, readStamp } from "@/engine/messages/poses/stamp";
import { readFields, UnreadableMessage } from "@/engine/messages/reading";

/** A picture that is shown; `time`: of the log. */
export interface ShownPicture {
  time: bigint;
  width: number;
  height: number;
}

/** By what a camera's pictures are understood. */
export interface CameraTopics {
  camera: string;
  calibration: string;
  /** Whether the pictures are rectified. */
  isRectified: boolean;
}

/** How a camera sees, in which frame, and when its picture was taken. */
export interface CameraSight {
  view: CameraView;
  frame: string;
  stamp: bigint;
}

/** The camera of a picture. Throws UnreadableMessage where it is not calibrated, or not for such pictures. */
export async function findCamera(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  { camera, calibration, isRectified }: CameraTopics,
  { time, width, height }: ShownPicture,
): Promise<CameraSight> {
  const info = (await chunks.findLatest(calibration, time)) ?? (await chunks.findFirst(calibration));
  if (info === null) throw new UnreadableMessage(describeNone(calibration));
  const fields = readFields(decoders.decode(info));
  const model = readCalibration(fields);
  checkCalibratedSize(model, width, height);
  const picture = await chunks.findLatest(camera, time);
  const own = picture === null ? {} : readFields(decoders.decode(picture));
  const frame = readFrame(fields) || readFrame(own);
  if (frame === "") throw new UnreadableMessage("Neither the picture nor its calibration names a frame.");
  return { view: new CameraView(model, isRectified), frame, stamp: chooseStamp(readStamp(own), time) };
}
