import { finishCloud } from "@/engine/messages/clouds/cloud";
import type { DracoDecoder } from "@/engine/messages/clouds/draco";
import { Notes } from "@/engine/messages/notes";
import { readPose } from "@/engine/messages/pose";
import { readBytes, readFields, readText, toShortName, UnreadableMessage } from "@/engine/messages/reading";
import type { SceneMessage } from "@/engine/messages/scene-message";

/** Whether messages hold clouds that Draco compressed, whose decoder is loaded when one is met. */
export const isCompressedCloudSchema = (schemaName: string): boolean =>
  toShortName(schemaName) === "foxglove.CompressedPointCloud";

/** A `foxglove.CompressedPointCloud`. Throws UnreadableMessage for another format than Draco, and for damaged data. */
export function readCompressedCloud(value: unknown, decoder: DracoDecoder): SceneMessage {
  const message = readFields(value);
  const notes = new Notes();
  const format = readText(message, "format");
  if (format !== "" && format.toLowerCase() !== "draco")
    throw new UnreadableMessage(`The format "${format.slice(0, 20)}" of compressed clouds is not known.`);
  const pose = readPose(message.pose, notes);
  const points = decoder.decode(readBytes(message, "data"));
  return finishCloud(message, { pose, isLittleEndian: true, ...points }, notes);
}
