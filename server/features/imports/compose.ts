import { createHash } from "node:crypto";
import { fitAttributeValue } from "@/domain/annotation-imports/attribute-values";
import { scaleAnnotation } from "@/domain/annotation-imports/scale";
import { mayHold } from "@/domain/annotations/editor-label";
import {
  clippedOverhang,
  clipToPicture,
  isOfOtherPicture,
  measureOverhang,
  type PictureSize,
} from "@/domain/annotations/picture-bounds";
import { jsonDepth, jsonSize, maxJsonDepth, maxObjectBytes } from "@/domain/fields";
import type { Label } from "@/domain/projects/label-schema";
import { Annotation } from "@/domain/tasks/schema";
import type { ReadAnnotation, ReadPicture } from "@/server/features/imports/formats/annotation-file";
import { storedText, storedValue } from "@/server/platform/stored-text";

/** A uuid that is always the same for the same texts. */
export function deriveUuid(...texts: readonly string[]): string {
  const bytes = createHash("sha256").update(JSON.stringify(texts)).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** What the annotations of a file are composed with. */
export interface Composition {
  /** SHA-256 of the file. */
  file: string;
  /** The label that each of the file becomes; null leaves it out, and so does one that is not there. */
  labels: ReadonlyMap<string, Label | null>;
}

export interface Composed {
  annotations: Annotation[];
  /** Those that were left out on purpose. */
  unwanted: number;
  /** Those that were refused: their place in the picture, from 0, and why. */
  refused: { at: number; reason: string }[];
}

/** Attributes that say where a shape comes from, which a file does not know, and names that no object should have. */
const ownKeys: ReadonlySet<string> = new Set("id track run source score __proto__ constructor prototype".split(" "));

/** The first thing that is wrong with an annotation. */
function explain(
  given: object,
  error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] },
): string {
  const [issue] = error.issues;
  const path = issue?.path.map(String).join(".") ?? "";
  const type = "type" in given && typeof given.type === "string" ? `${given.type} ` : "";
  return path === "" ? `${type}${issue?.message ?? ""}` : `${path}: ${issue?.message ?? ""}`;
}

/**
 * The attributes of the file that say nothing of where the shape comes from; those that the label has with values that it can
 * have, and otherwise not.
 */
function fitAttributes(
  { attributes: expected }: Label,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const byKey = new Map(expected.map((attribute) => [attribute.key, attribute]));
  return Object.fromEntries(
    Object.entries(storedValue(given)).flatMap(([key, value]) => {
      const attribute = byKey.get(key);
      const stored = attribute ? fitAttributeValue(value, attribute) : value;
      return ownKeys.has(key) || stored === undefined ? [] : [[key, stored]];
    }),
  );
}

/** The annotation as the project takes it, or why it does not. */
function composeOne(
  read: ReadAnnotation,
  {
    label,
    id,
    track,
    from,
    to,
  }: { label: Label; id: string; track?: string; from: PictureSize | null; to: PictureSize | null },
): Annotation | string {
  if (jsonDepth(read.attributes) > maxJsonDepth) return `Its attributes are nested deeper than ${maxJsonDepth} levels.`;
  const own = { id, source: "imported", ...(track !== undefined && { track }) };
  const attributes = { ...fitAttributes(label, read.attributes), ...own };
  // As many as a shape of a draft may have.
  if (jsonSize(attributes) > maxObjectBytes) return `Its attributes have more than ${maxObjectBytes} bytes.`;
  const given = { label: label.name, type: read.type, coordinates: read.coordinates, attributes };
  const parsed = Annotation.safeParse(given);
  if (!parsed.success) return explain(given, parsed.error);
  if (!mayHold(label, parsed.data.type)) return `The label "${label.name}" takes no ${parsed.data.type}.`;
  const scaled = from && to ? scaleAnnotation(parsed.data, from, to) : parsed.data;
  if (!scaled) return "It cannot be scaled to the size of the item.";
  if (!to) return scaled;
  if (isOfOtherPicture(scaled, to)) return `A mask of this picture has the size [${to.height}, ${to.width}].`;
  if (measureOverhang(scaled, to) > clippedOverhang)
    return `The shape sticks out of its picture of ${to.width} × ${to.height} pixels.`;
  return clipToPicture(scaled, to) ?? "Nothing of it is in the picture.";
}

/**
 * The annotations of a picture of the file as those of an item, with ids that are always the same for the same file, item
 * and place. `from`: the size to scale from, null where that of the item holds.
 */
export function composePicture(
  { annotations }: Pick<ReadPicture, "annotations">,
  item: { uid: string; size: PictureSize | null },
  from: PictureSize | null,
  { file, labels }: Composition,
): Composed {
  const composed: Composed = { annotations: [], unwanted: 0, refused: [] };
  for (const [at, read] of annotations.entries()) {
    const label = labels.get(storedText(read.label));
    if (!label) {
      composed.unwanted += 1;
      continue;
    }
    const id = deriveUuid("shape", file, item.uid, String(at));
    const track = read.trackId ?? read.attributes["track"];
    const ofFile = typeof track === "string" ? { track: deriveUuid("track", file, track) } : {};
    const one = composeOne(read, { label, id, ...ofFile, from, to: item.size });
    if (typeof one === "string") composed.refused.push({ at, reason: one });
    else composed.annotations.push(one);
  }
  return composed;
}
