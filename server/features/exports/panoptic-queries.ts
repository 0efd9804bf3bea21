import { Readable } from "node:stream";
import type { ExportLoss } from "@/domain/exports/schema";
import { RingColumns } from "@/domain/masks/fill";
import { nothingSeen, showLayers, subtractRows, type Layer } from "@/domain/masks/layers";
import { cutColumn, readMask } from "@/domain/masks/mask-figure";
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
import { encodeNumbers, SegmentList, type NumberedArea } from "@/server/features/exports/panoptic/png";
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
import { getSize, toDrop, type Size } from "@/server/features/exports/shapes";
import { finish, type Steps } from "@/server/features/exports/steps";
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
  /** Their pixels; none where nothing is drawn. */
  areas: NumberedArea[];
}

/** The pixels of an annotation; or what is lost with it, because it says not which pixels are its own. */
function toLayer(annotation: Annotation, { width, height }: Size): Layer | ExportLoss {
  if (annotation.type === "polygon") {
    const { points, holes = [] } = annotation.coordinates;
    return new RingColumns([points, ...holes], { width, height });
  }
  if (annotation.type !== "mask") return toDrop(annotation.type);
  const figure = readMask(annotation.coordinates);
  if (!figure) return "outside_dropped";
  const isWithin = figure.y + figure.height <= height;
  return {
    first: Math.max(0, figure.x),
    end: Math.min(width, figure.x + figure.width),
    cut: (column) => {
      const rows = cutColumn(figure, column);
      return isWithin ? rows : subtractRows(rows, [height, Infinity]);
    },
  };
}

/** What panoptic COCO holds of annotations: each pixel is of the last one that has it. Counts what it lacks. */
function* composePanoptic(
  annotations: readonly Annotation[],
  size: Size,
  { numbers }: Classes,
  tally: Tally,
  isDrawn: boolean,
): Steps<Composed<PanopticPicture>> {
  const layers: { annotation: Annotation; number: number; layer: Layer; pixels: SegmentList }[] = [];
  for (const annotation of annotations) {
    yield;
    const layer = toLayer(annotation, size);
    const number = numbers.get(annotation.label);
    if (typeof layer === "string") tally.lose(layer);
    else if (number === undefined) tally.lose("outside_dropped");
    else layers.push({ annotation, number, layer, pixels: new SegmentList() });
  }
  const seen = yield* showLayers(
    layers.map(({ layer }) => layer),
    size,
    isDrawn ? (at, x, from, to) => layers[at]?.pixels.add(x, from, to) : undefined,
  );
  const picture: PanopticPicture = { segments: [], areas: [] };
  for (const [at, { annotation, number, pixels }] of layers.entries()) {
    const { isThere, isCovered, area, left, top, right, bottom } = seen[at] ?? nothingSeen;
    if (area === 0) {
      tally.lose(isThere ? "covered_dropped" : "outside_dropped");
      continue;
    }
    if (isCovered) tally.lose("covered_partly");
    tally.addAnnotations(annotation.label);
    // 0 means none.
    const id = picture.segments.length + 1;
    const { attributes } = annotation;
    const bbox: SegmentInfo["bbox"] = [left, top, right - left, bottom - top];
    picture.segments.push({ id, category_id: number + 1, area, bbox, iscrowd: 0, attributes });
    if (isDrawn) picture.areas.push({ id, segments: pixels.toArray() });
  }
  return { make: () => picture, shapes: picture.segments.length };
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
  isDrawn = false,
): Steps<Picture[]> =>
  labelPictures(item, results, outline, tally, (annotations) =>
    composePanoptic(annotations, getSize(item), outline.classes, tally, isDrawn),
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
  { project }: Picture,
  { segments }: PanopticPicture,
): Described {
  return {
    image: { id, ...getSize(item), file_name: toImageName(datasets, dataset, item), uid: item.uid },
    annotation: {
      image_id: id,
      file_name: `${formatStem(dataset, item, null, project)}.png`,
      segments_info: segments,
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
  const pictures = one ? finish(choosePictures(item, one.results, outline, startTally(outline))) : [];
  const described = one
    ? pictures.map((picture, at) => describePicture(at + 1, 1, one.dataset, item, picture, picture.make()))
    : [];
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
                  for (const picture of finish(
                    choosePictures(item, results.get(item.uid) ?? [], outline, tally, true),
                  )) {
                    const comma = count === 0 ? "" : ",";
                    count += 1;
                    const made = picture.make();
                    const { image, annotation } = describePicture(count, datasets.length, dataset, item, picture, made);
                    const bytes = await encodeNumbers(made.areas, getSize(item));
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
  *count(item, results, outline, tally) {
    yield* choosePictures(item, results, outline, tally);
  },
  show: (content, item, outline) => showItem(content, item, outline),
};

/** One stream after the other. */
function joinStreams(streams: readonly ReadableStream<Uint8Array>[]): ReadableStream<Uint8Array> {
  async function* joined(): AsyncGenerator<Uint8Array> {
    for (const stream of streams) yield* stream;
  }
  return toWebStream(Readable.from(joined()));
}
