import { compressedPictureSchemas, readCompressedPicture } from "@/engine/messages/compressed-picture";
import type { Picture } from "@/engine/messages/picture";
import { rawPictureSchemas, readRawPicture } from "@/engine/messages/raw-picture";
import { toShortName } from "@/engine/messages/reading";
import { videoSchemas } from "@/engine/messages/video";

/** The adapters of pictures, by the short names of their schemas. */
const adapters: ReadonlyMap<string, (value: unknown) => Picture> = new Map<string, (value: unknown) => Picture>([
  ...rawPictureSchemas.map((name) => [name, readRawPicture] as const),
  ...compressedPictureSchemas.map((name) => [name, readCompressedPicture] as const),
]);

/** Whether each message holds a whole picture. */
export const isPictureSchema = (schemaName: string): boolean => adapters.has(toShortName(schemaName));

/** Whether messages are parts of a video: a picture of it needs those since its last keyframe. */
export const isVideoSchema = (schemaName: string): boolean => videoSchemas.includes(toShortName(schemaName));

/** Whether messages show what a camera saw. */
export const isCameraSchema = (schemaName: string): boolean => isPictureSchema(schemaName) || isVideoSchema(schemaName);

/** What reads the pictures of a schema; null for schemas of other things. */
export const findPictureAdapter = (schemaName: string): ((value: unknown) => Picture) | null =>
  adapters.get(toShortName(schemaName)) ?? null;
