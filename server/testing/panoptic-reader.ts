import { readFileSync } from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { z } from "zod";

/** The document as panopticapi describes it, with the members that its evaluation reads. */
const Document = z.object({
  info: z.object({ description: z.string() }),
  categories: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      supercategory: z.string(),
      isthing: z.union([z.literal(0), z.literal(1)]),
      color: z.tuple([z.int(), z.int(), z.int()]),
    }),
  ),
  images: z.array(z.object({ id: z.int(), width: z.int(), height: z.int(), file_name: z.string(), uid: z.string() })),
  annotations: z.array(
    z.object({
      image_id: z.int(),
      file_name: z.string(),
      segments_info: z.array(
        z.object({
          id: z.int().min(1),
          category_id: z.int(),
          area: z.int().min(1),
          bbox: z.tuple([z.int(), z.int(), z.int(), z.int()]),
          iscrowd: z.literal(0),
          attributes: z.record(z.string(), z.unknown()),
        }),
      ),
    }),
  ),
});
type Segment = z.output<typeof Document>["annotations"][number]["segments_info"][number];

export interface PanopticObject extends Segment {
  category: string;
  /** The places of its pixels, row by row. */
  pixels: string[];
}

/**
 * Reads an unpacked archive as panopticapi does: red + 256 green + 65,536 blue is the object of a pixel. Throws where a PNG is no
 * picture of that size, and where areas and boxes are not those of the pixels.
 */
export async function readPanoptic(folder: string) {
  const document = Document.parse(JSON.parse(readFileSync(path.join(folder, "panoptic.json"), "utf8")));
  const categories = new Map(document.categories.map(({ id, name }) => [id, name]));
  const images = new Map(document.images.map((image) => [image.id, image]));
  const pictures = new Map<string, PanopticObject[]>();
  for (const { image_id, file_name, segments_info } of document.annotations) {
    const image = images.get(image_id);
    const { data, info } = await sharp(path.join(folder, "panoptic", file_name))
      .raw()
      .toBuffer({ resolveWithObject: true });
    if (info.channels !== 3 || info.width !== image?.width || info.height !== image.height)
      throw new Error(`${file_name} is no picture of numbers of its size`);
    const places = new Map<number, [x: number, y: number][]>();
    for (let at = 0; at < info.width * info.height; at++) {
      const id = (data[3 * at] ?? 0) + 256 * (data[3 * at + 1] ?? 0) + 65_536 * (data[3 * at + 2] ?? 0);
      if (id === 0) continue;
      const own = places.get(id) ?? [];
      own.push([at % info.width, Math.floor(at / info.width)]);
      places.set(id, own);
    }
    if (places.size !== segments_info.length) throw new Error(`${file_name} has other objects than are described`);
    const objects = segments_info.map((segment) => {
      const own = places.get(segment.id) ?? [];
      const [xs, ys] = [own.map(([x]) => x), own.map(([, y]) => y)];
      const [left, top] = [Math.min(...xs), Math.min(...ys)];
      const box = [left, top, Math.max(...xs) + 1 - left, Math.max(...ys) + 1 - top];
      if (own.length !== segment.area || JSON.stringify(box) !== JSON.stringify(segment.bbox))
        throw new Error(`object ${segment.id} of ${file_name} has another area or box`);
      const pixels = own.map(([x, y]) => `${x},${y}`);
      return { ...segment, category: categories.get(segment.category_id) ?? "", pixels };
    });
    pictures.set(image.uid, [...(pictures.get(image.uid) ?? []), ...objects]);
  }
  return { document, pictures };
}
