import { isPictureFile, readCompressedPicture } from "@/engine/messages/pictures/compressed-picture";
import type { Picture } from "@/engine/messages/pictures/picture";
import { compressedPictureSchemas, rawPictureSchemas } from "@/engine/messages/pictures/picture-schemas";
import { readRawPicture } from "@/engine/messages/pictures/raw-picture";
import { readBytes, readFields, toShortName, UnreadableMessage } from "@/engine/messages/reading";

type ReadPicture = (value: unknown) => Picture;

/** The adapters of pictures, by the short names of their schemas. */
const adapters: ReadonlyMap<string, ReadPicture> = new Map<string, ReadPicture>([
  ...rawPictureSchemas.map((name) => [name, readRawPicture] as const),
  ...compressedPictureSchemas.map((name) => [name, readCompressedPicture] as const),
]);

/** What reads the pictures of a schema; null for schemas of other things. */
export const findPictureAdapter = (schemaName: string): ReadPicture | null =>
  adapters.get(toShortName(schemaName)) ?? null;

/** What reads a message of a schema without an adapter as a picture, because its fields are those of one; null otherwise. */
export function findLookalikeAdapter(value: unknown): ReadPicture | null {
  try {
    const fields = readFields(value);
    const { width, height, encoding, format } = fields;
    const data = readBytes(fields, "data");
    if (typeof width === "number" && typeof height === "number" && typeof encoding === "string") return readRawPicture;
    return typeof format === "string" && isPictureFile(format, data) ? readCompressedPicture : null;
  } catch (error) {
    if (error instanceof UnreadableMessage) return null;
    throw error;
  }
}
