import { toShortName } from "@/engine/messages/reading";

/** Which schemas hold pictures; apart from what reads them, so that pages need not load that. */

/** The schemas of uncompressed pictures. */
export const rawPictureSchemas: readonly string[] = ["sensor_msgs/Image", "foxglove.RawImage"];

/** The schemas of compressed pictures. */
export const compressedPictureSchemas: readonly string[] = ["sensor_msgs/CompressedImage", "foxglove.CompressedImage"];

const videoSchemas: readonly string[] = ["foxglove.CompressedVideo", "ffmpeg_image_transport_msgs/FFMPEGPacket"];

const pictureSchemas: ReadonlySet<string> = new Set([...rawPictureSchemas, ...compressedPictureSchemas]);

/** Whether each message holds a whole picture. */
export const isPictureSchema = (schemaName: string): boolean => pictureSchemas.has(toShortName(schemaName));

/** Whether messages are parts of a video: a picture of it needs those since its last keyframe. */
export const isVideoSchema = (schemaName: string): boolean => videoSchemas.includes(toShortName(schemaName));

/** Whether messages show what a camera saw. */
export const isCameraSchema = (schemaName: string): boolean => isPictureSchema(schemaName) || isVideoSchema(schemaName);
