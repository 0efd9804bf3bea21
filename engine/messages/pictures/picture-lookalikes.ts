import { isOverlaySchema } from "@/engine/messages/pictures/overlay-schemas";
import { isCameraSchema } from "@/engine/messages/pictures/picture-schemas";
import { isLayerSchema } from "@/engine/messages/scene-schemas";

/** A topic with its scalar fields, as pages know it: arrays, such as the bytes of a picture, are not among them. */
interface TopicFields {
  schema: string;
  fields: readonly { path: string; kind: string }[];
}

/** Of uncompressed pictures, and of compressed ones. */
const wanted: readonly Readonly<Record<string, string>>[] = [
  { width: "number", height: "number", encoding: "string" },
  { format: "string" },
];

/**
 * Whether messages of a schema that has no adapter may hold pictures, by the fields that pages know of them; whether they do,
 * only a message tells.
 */
export function mayHoldPictures({ schema, fields }: TopicFields): boolean {
  const isKnown = [isCameraSchema, isOverlaySchema, isLayerSchema].some((is) => is(schema));
  const kinds = new Map(fields.map(({ path, kind }) => [path, kind]));
  return !isKnown && wanted.some((names) => Object.entries(names).every(([name, kind]) => kinds.get(name) === kind));
}
