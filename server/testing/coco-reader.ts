import { z } from "zod";

/** The document as cocodataset.org describes it, with the members that its own API indexes. */
const Rle = z.object({ size: z.tuple([z.int(), z.int()]), counts: z.string() });
const CocoDocument = z.object({
  info: z.object({ description: z.string(), year: z.int(), date_created: z.string() }),
  licenses: z.array(z.unknown()),
  categories: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      supercategory: z.string(),
      keypoints: z.array(z.string()).optional(),
      skeleton: z.array(z.tuple([z.int(), z.int()])).optional(),
    }),
  ),
  images: z.array(z.object({ id: z.int(), width: z.int(), height: z.int(), file_name: z.string(), uid: z.string() })),
  annotations: z.array(
    z.object({
      id: z.int(),
      image_id: z.int(),
      category_id: z.int(),
      bbox: z.tuple([z.number(), z.number(), z.number(), z.number()]),
      area: z.number(),
      segmentation: z.union([z.array(z.array(z.number()).min(6)), Rle]),
      iscrowd: z.literal(0),
      keypoints: z.array(z.number()).optional(),
      num_keypoints: z.int().optional(),
      attributes: z.record(z.string(), z.unknown()),
    }),
  ),
});
type CocoDocument = z.output<typeof CocoDocument>;

/** Reads a document and indexes it as COCO's own API does. Throws where a number is there twice or names nothing. */
export function readCoco(text: string) {
  const document = CocoDocument.parse(JSON.parse(text));
  const index = <T extends { id: number }>(values: readonly T[]): Map<number, T> => {
    const byId = new Map(values.map((value) => [value.id, value]));
    if (byId.size !== values.length) throw new Error("an id is there twice");
    return byId;
  };
  const [images, categories] = [index(document.images), index(document.categories)];
  index(document.annotations);
  const ofImage = new Map(document.images.map(({ id }) => [id, [] as CocoDocument["annotations"]]));
  for (const annotation of document.annotations) {
    const own = ofImage.get(annotation.image_id);
    if (!own || !categories.has(annotation.category_id)) throw new Error(`annotation ${annotation.id} is of nothing`);
    own.push(annotation);
  }
  return { document, images, categories, ofImage };
}
