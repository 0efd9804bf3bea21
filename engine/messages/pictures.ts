import { readCompressedPicture } from "@/engine/messages/compressed-picture";
import type { Picture } from "@/engine/messages/picture";
import { compressedPictureSchemas, rawPictureSchemas } from "@/engine/messages/picture-schemas";
import { readRawPicture } from "@/engine/messages/raw-picture";
import { toShortName } from "@/engine/messages/reading";

/** The adapters of pictures, by the short names of their schemas. */
const adapters: ReadonlyMap<string, (value: unknown) => Picture> = new Map<string, (value: unknown) => Picture>([
  ...rawPictureSchemas.map((name) => [name, readRawPicture] as const),
  ...compressedPictureSchemas.map((name) => [name, readCompressedPicture] as const),
]);

/** What reads the pictures of a schema; null for schemas of other things. */
export const findPictureAdapter = (schemaName: string): ((value: unknown) => Picture) | null =>
  adapters.get(toShortName(schemaName)) ?? null;
