import sharp from "sharp";
import type { FrameKind, TopicKind } from "@/domain/moments/schema";
import type { RawMessage } from "@/engine/formats/recording";
import { findCloudAdapter } from "@/engine/messages/clouds/cloud";
import { encodePcd } from "@/engine/messages/clouds/pcd";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { hideExif } from "@/engine/messages/pictures/exif";
import { isVideoSchema } from "@/engine/messages/pictures/picture-schemas";
import { findPictureAdapter } from "@/engine/messages/pictures/pictures";
import { UnreadableMessage } from "@/engine/messages/reading";
import { encodePicture } from "@/server/features/cuts/pictures";
import type { Extension } from "@/server/features/moments/item-key";
import { findFfmpeg } from "@/server/platform/video/ffmpeg";

/** What the messages of a schema become. Those of video are pictures where ffmpeg decodes them. */
export function getKind(schemaName: string): TopicKind {
  if (findPictureAdapter(schemaName) !== null) return "image";
  if (isVideoSchema(schemaName) && findFfmpeg() !== null) return "image";
  return findCloudAdapter(schemaName) === null ? "other" : "points";
}

export const isFrameKind = (kind: TopicKind): kind is FrameKind => kind !== "other";

/** A message as the file of an item. */
export interface ItemFile {
  extension: Extension;
  bytes: Uint8Array<ArrayBuffer>;
}

/** A picture as it was sent, but without a turn, or its pixels as PNG; a point cloud as binary PCD. Throws UnreadableMessage. */
export async function toItemFile(decoders: MessageDecoders, message: RawMessage): Promise<ItemFile> {
  const { schemaName } = message.channel;
  const readPicture = findPictureAdapter(schemaName);
  if (readPicture !== null) {
    const picture = readPicture(decoders.decode(message));
    // Items are turned as their EXIF data say, panels are not: labels would be of other pixels than annotations.
    const isFile = picture.kind === "compressed";
    const { extension, bytes } = await encodePicture(isFile ? { ...picture, data: hideExif(picture) } : picture);
    if (extension !== "avif") return { extension, bytes };
    // Datasets take no AVIF.
    return { extension: "png", bytes: new Uint8Array(await decode(bytes)) };
  }
  const [cloud] = findCloudAdapter(schemaName)?.(decoders.decode(message)).objects ?? [];
  if (cloud?.kind !== "cloud") throw new UnreadableMessage(`Messages of ${schemaName} are no pictures or clouds.`);
  return { extension: "pcd", bytes: encodePcd(cloud) };
}

async function decode(bytes: Uint8Array): Promise<Buffer> {
  try {
    return await sharp(bytes, { limitInputPixels: 100_000_000 }).png({ compressionLevel: 3 }).toBuffer();
  } catch {
    throw new UnreadableMessage("The picture is damaged.");
  }
}
