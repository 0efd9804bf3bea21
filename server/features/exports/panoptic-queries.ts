import { Readable } from "node:stream";
import { toBounds } from "@/domain/annotations/geometry";
import type { ExportLoss } from "@/domain/exports/schema";
import { fillRings } from "@/domain/masks/fill";
import { countPixels, showLayers, type Segment } from "@/domain/masks/layers";
import { boxSegments, listSegments } from "@/domain/masks/run-lengths";
import type { Annotation } from "@/domain/tasks/schema";
import type { Classes } from "@/server/features/exports/class-numbers";
import { listCategories } from "@/server/features/exports/coco-annotations";
import { describeCoco, toImageName } from "@/server/features/exports/coco-queries";
import {
  noPlan,
  type ExportContent,
  type FormatWriter,
  type Outline,
  type TextFile,
} from "@/server/features/exports/format";
import { encodeNumbers, type NumberedArea } from "@/server/features/exports/panoptic/png";
import { readOne } from "@/server/features/exports/picture-files";
import { labelPictures, type Composed, type LabelledPicture } from "@/server/features/exports/pictures";
import {
  listClasses,
  readItems,
  readResults,
  type SelectedDataset,
  type SelectedItem,
  type SelectedResult,
} from "@/server/features/exports/selection-queries";
import { clipBounds, getSize, readRuns, toDrop, type MaskShape, type Size } from "@/server/features/exports/shapes";
import { Tally } from "@/server/features/exports/tally";
import { withSpool } from "@/server/features/exports/text-spool";
import { formatStem } from "@/server/features/exports/yolo-paths";
import { writeZip, type ZipEntry } from "@/server/features/exports/zip";
import { toWebStream } from "@/server/platform/storage/web-stream";

/** An object of a picture, as panopticapi describes it. */
interface SegmentInfo {
  /** Of its pixels, in this picture. */
  id: number;
  category_id: number;
  area: number;
  /** Left, top, width and height in pixels. */
  bbox: [number, number, number, number];
  iscrowd: 0;
  attributes: Record<string, unknown>;
}

interface PanopticPicture {
  segments: SegmentInfo[];
  areas: NumberedArea[];
}

/** The pixels of a mask, as far as they are in the picture. */
function placeMask(mask: MaskShape, { width, height }: Size): Segment[] {
  const [left, top, across, down] = mask.box;
  const isInside = clipBounds(toBounds({ x: left, y: top, width: across, height: down }), { width, height });
  if (!isInside) return [];
  return listSegments(readRuns(mask), down).flatMap(([x, from, to]): Segment[] => {
    const last = Math.min(height, to + top);
    return x + left < width && from + top < last ? [[x + left, from + top, last]] : [];
  });
}

/** The pixels of an annotation; or what is lost with it, because it says not which pixels are its own. */
function toPixels(annotation: Annotation, size: Size): Segment[] | ExportLoss {
  if (annotation.type === "mask") return placeMask(annotation.coordinates, size);
  if (annotation.type !== "polygon") return toDrop(annotation.type);
  const { points, holes = [] } = annotation.coordinates;
  return fillRings([points, ...holes], size);
}

/** What panoptic COCO holds of annotations: each pixel is of the last one that has it. Counts what it lacks. */
function composePanoptic(
  annotations: readonly Annotation[],
  size: Size,
  { numbers }: Classes,
  tally: Tally,
): Composed<PanopticPicture> {
  const layers: { annotation: Annotation; number: number; pixels: Segment[] }[] = [];
  for (const annotation of annotations) {
    const pixels = toPixels(annotation, size);
    const number = numbers.get(annotation.label);
    if (typeof pixels === "string") tally.lose(pixels);
    else if (number === undefined || pixels.length === 0) tally.lose("outside_dropped");
    else layers.push({ annotation, number, pixels });
  }
  const seen = showLayers(layers.map(({ pixels }) => pixels));
  const picture: PanopticPicture = { segments: [], areas: [] };
  for (const [at, { annotation, number, pixels }] of layers.entries()) {
    const segments = seen[at] ?? [];
    const box = boxSegments(segments)?.box;
    const area = countPixels(segments);
    if (!box) {
      tally.lose("covered_dropped");
      continue;
    }
    if (area < countPixels(pixels)) tally.lose("covered_partly");
    tally.addAnnotations(annotation.label);
    // 0 means none.
    const id = picture.segments.length + 1;
    const { attributes } = annotation;
    const bbox: SegmentInfo["bbox"] = [box.x, box.y, box.width, box.height];
    picture.segments.push({ id, category_id: number + 1, area, bbox, iscrowd: 0, attributes });
    picture.areas.push({ id, segments });
  }
  return { content: picture, shapes: picture.segments.length };
}

const unknownColour = "#8b949e";
const toColour = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

/** The categories of the document. Labels say not which of them are countable: all are things. */
const listPanopticCategories = (classes: Classes) =>
  listCategories(classes).map(({ id, name, supercategory }) => ({
    id,
    name,
    supercategory,
    isthing: 1,
    color: toColour(classes.labels.get(id - 1)?.color ?? unknownColour),
  }));

const documentName = "panoptic.json";
const folder = "panoptic";

type Picture = LabelledPicture<PanopticPicture>;

const startTally = ({ classes }: Outline): Tally => new Tally(classes);

const choosePictures = (
  item: SelectedItem,
  results: readonly SelectedResult[],
  outline: Outline,
  tally: Tally,
): Picture[] =>
  labelPictures(item, results, outline, tally, (annotations) =>
    composePanoptic(annotations, getSize(item), outline.classes, tally),
  );

/** What the document says of a picture. */
interface Described {
  image: object;
  annotation: { image_id: number; file_name: string; segments_info: PanopticPicture["segments"] };
}

function describePicture(
  id: number,
  datasets: number,
  dataset: SelectedDataset,
  item: SelectedItem,
  { project, content }: Picture,
): Described {
  return {
    image: { id, ...getSize(item), file_name: toImageName(datasets, dataset, item), uid: item.uid },
    annotation: {
      image_id: id,
      file_name: `${formatStem(dataset, item, null, project)}.png`,
      segments_info: content.segments,
    },
  };
}

/** The document's members before its pictures. */
const describe = (content: ExportContent, { classes }: Outline) => ({
  ...describeCoco(content),
  categories: listPanopticCategories(classes),
});

/** The document with one item, indented to be read. */
async function showItem(content: ExportContent, item: SelectedItem, outline: Outline): Promise<TextFile[]> {
  const one = await readOne(content, item);
  const pictures = one ? choosePictures(item, one.results, outline, startTally(outline)) : [];
  const described = one ? pictures.map((picture, at) => describePicture(at + 1, 1, one.dataset, item, picture)) : [];
  const document = {
    images: described.map(({ image }) => image),
    annotations: described.map(({ annotation }) => annotation),
    ...describe(content, outline),
  };
  return [{ name: documentName, text: JSON.stringify(document, null, 2) }];
}

/** An archive with a picture of numbers for each picture, and one document that says what the numbers mean. */
export const cocoPanoptic: FormatWriter = {
  extension: "zip",
  write: async (target, content) => {
    const { ctx, selection, datasets, onProgress } = content;
    const outline: Outline = { classes: await listClasses(ctx, selection, datasets), ...noPlan, background: false };
    const tally = startTally(outline);
    await withSpool(`${target}.images`, (images) =>
      withSpool(`${target}.annotations`, async (annotations) => {
        async function* entries(): AsyncGenerator<ZipEntry> {
          let count = 0;
          for (const dataset of datasets)
            for await (const items of readItems(ctx, dataset, selection)) {
              for await (const { items: some, results } of readResults(ctx, items, selection))
                for (const item of some)
                  for (const picture of choosePictures(item, results.get(item.uid) ?? [], outline, tally)) {
                    const comma = count === 0 ? "" : ",";
                    count += 1;
                    const { image, annotation } = describePicture(count, datasets.length, dataset, item, picture);
                    const bytes = await encodeNumbers(picture.content.areas, getSize(item));
                    yield { name: `${folder}/${annotation.file_name}`, bytes };
                    await images.add(`${comma}${JSON.stringify(image)}`);
                    await annotations.add(`${comma}${JSON.stringify(annotation)}`);
                  }
              await onProgress(items.length);
            }
          const head = `${JSON.stringify(describe(content, outline)).slice(0, -1)},"images":[`;
          yield {
            name: documentName,
            bytes: joinStreams([images.read(head, ""), annotations.read('],"annotations":[', "]}")]),
          };
        }
        await writeZip(entries(), target);
      }),
    );
    return tally.toContents();
  },
  startTally,
  count: (item, results, outline, tally) => void choosePictures(item, results, outline, tally),
  show: (content, item, outline) => showItem(content, item, outline),
};

/** One stream after the other. */
function joinStreams(streams: readonly ReadableStream<Uint8Array>[]): ReadableStream<Uint8Array> {
  async function* joined(): AsyncGenerator<Uint8Array> {
    for (const stream of streams) yield* stream;
  }
  return toWebStream(Readable.from(joined()));
}
