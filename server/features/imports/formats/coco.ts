import { isUuid } from "@/domain/uid";
import {
  BadAnnotationFile,
  readLimits,
  type AnnotationFile,
  type PictureSize,
  type ReadAnnotation,
  type ReadLabel,
  type ReadOptions,
  type ReadPicture,
} from "@/server/features/imports/formats/annotation-file";
import { Buckets } from "@/server/features/imports/formats/buckets";
import { readPlaces, type CocoPlaces } from "@/server/features/imports/formats/coco-shapes";
import { readJson } from "@/server/features/imports/formats/json-values";
import { findUidEnd, toPictureName } from "@/server/features/imports/formats/picture-names";
import { toStableUid } from "@/server/features/imports/formats/shapes";
import { inSource, readSources, type Source } from "@/server/features/imports/formats/sources";
import {
  BadValue,
  inPlace,
  isObject,
  Omissions,
  readAttributes,
  readName,
  readSize,
} from "@/server/features/imports/formats/values";

/** In archives of the data set itself, files beside those of instances and skeletons. */
const isDocument = (name: string): boolean =>
  name === "" || /(^|\/)(?!captions_|panoptic_|stuff_|image_info_)[^/]*\.json$/i.test(name);

const readId = (value: unknown, name: string): string => {
  if (typeof value !== "number" && typeof value !== "string") throw new BadValue(`${name} is missing.`);
  return String(value);
};

/** The names of points and the pairs that are connected, which COCO counts from 1. */
function readSkeleton({
  keypoints,
  skeleton,
}: Readonly<Record<string, unknown>>): Pick<ReadLabel, "types" | "points" | "edges"> {
  if (!Array.isArray(keypoints) || keypoints.length === 0) return {};
  const points = keypoints.map((name, at) => readName(name, `keypoints[${at}]`));
  const edges = (Array.isArray(skeleton) ? skeleton : []).flatMap((edge: unknown) => {
    const [from, to]: readonly unknown[] = Array.isArray(edge) ? edge : [];
    return typeof from === "number" && typeof to === "number" ? [[from - 1, to - 1] as const] : [];
  });
  return { points, edges };
}

/** The categories of a document by their ids. */
class Categories {
  private readonly labels = new Map<string, ReadLabel>();

  add(value: unknown): void {
    if (!isObject(value)) throw new BadValue("This is no category.");
    const id = readId(value["id"], "The id");
    if (this.labels.has(id)) throw new BadValue(`The id ${id} is there twice.`);
    if (this.labels.size === readLimits.labels)
      throw new BadValue(`The file has more than ${readLimits.labels} categories.`);
    this.labels.set(id, { name: readName(value["name"], "The name"), ...readSkeleton(value) });
  }

  getName(id: string): string {
    const label = this.labels.get(id);
    if (!label) throw new BadValue(`The file has no category ${id}.`);
    return label.name;
  }

  list(): ReadLabel[] {
    return [...new Map(Array.from(this.labels.values(), (label) => [label.name, label])).values()];
  }
}

/** A picture and an annotation as they are gathered. */
interface CocoImage {
  id: string;
  name: string;
  uid: string | null;
  size: PictureSize | null;
}
interface CocoEntry extends CocoPlaces {
  at: number;
  category: string;
  attributes: Record<string, unknown>;
  track: string | null;
}
type Gathered = { image: CocoImage } | { entry: CocoEntry };

function readImage(value: unknown): CocoImage {
  if (!isObject(value)) throw new BadValue("This is no picture.");
  const { id, file_name: name, uid, width, height } = value;
  return {
    id: readId(id, "The id"),
    name: toPictureName(readName(name, "file_name")),
    uid: typeof uid === "string" && isUuid(uid) ? uid : null,
    size: readSize(width, height),
  };
}

function readEntry(value: unknown, at: number): { image: string; entry: CocoEntry } {
  if (!isObject(value)) throw new BadValue("This is no annotation.");
  const { bbox, segmentation, keypoints, attributes, iscrowd, track_id: track } = value;
  return {
    image: readId(value["image_id"], "image_id"),
    entry: {
      at,
      category: readId(value["category_id"], "category_id"),
      bbox,
      segmentation,
      keypoints,
      attributes: { ...readAttributes(attributes), ...(iscrowd === 1 && { iscrowd: true }) },
      track: typeof track === "string" || typeof track === "number" ? String(track) : null,
    },
  };
}

/** The annotations that one entry is: several for parts, and for a skeleton with an area, which share a group. */
function readAnnotations(
  { image, entry, label, fileId }: { image: CocoImage; entry: CocoEntry; label: string; fileId: string },
  omissions: Omissions,
): ReadAnnotation[] {
  const { rotation, ...others } = entry.attributes;
  // CVAT writes a turned box so.
  const isTurned = image.uid === null && typeof rotation === "number";
  const made = readPlaces(entry, image.size, isTurned ? rotation : 0);
  const shapes = made.flatMap((shape) => {
    if (typeof shape !== "string") return [shape];
    omissions.add(shape);
    return [];
  });
  const attributes: Record<string, unknown> = {
    ...(isTurned ? others : entry.attributes),
    ...(shapes.length > 1 && { group: toStableUid(fileId, image.id, entry.at) }),
  };
  const track = entry.track !== null && attributes["track"] !== entry.track ? { trackId: entry.track } : {};
  return shapes.map((shape) => ({ label, ...shape, attributes: { ...attributes }, ...track }));
}

/** Reads a document into buckets by picture. */
async function gather(source: Source, buckets: Buckets): Promise<Categories> {
  const categories = new Categories();
  let pictures = 0;
  for await (const { values } of readJson(source, ["$.images.*", "$.annotations.*", "$.categories.*"])) {
    for (const { list, path, value } of values) {
      const at = Number(path[1]);
      const place = () => inSource(source, `${String(list)}[${at}]`);
      if (list === "categories") inPlace(place, () => categories.add(value));
      else if (list === "images") {
        const image = inPlace(place, () => readImage(value));
        pictures += 1;
        await buckets.add(image.id, { image } satisfies Gathered);
      } else {
        const { image, entry } = inPlace(place, () => readEntry(value, at));
        await buckets.add(image, { entry } satisfies Gathered);
      }
    }
  }
  if (pictures === 0) throw new BadAnnotationFile(`${inSource(source, "the document")} lists no images of COCO.`);
  return categories;
}

interface Group {
  image: CocoImage | null;
  entries: CocoEntry[];
}

/** The pictures of a bucket with their annotations. */
async function groupByImage(values: AsyncIterable<[string, unknown]>, source: Source): Promise<Map<string, Group>> {
  const groups = new Map<string, Group>();
  for await (const [id, value] of values) {
    // Added by `gather`.
    const gathered = value as Gathered;
    const group = groups.get(id) ?? { image: null, entries: [] };
    groups.set(id, group);
    if ("entry" in gathered) {
      group.entries.push(gathered.entry);
      if (group.entries.length > readLimits.annotations)
        throw new BadAnnotationFile(
          `${inSource(source, `annotations[${gathered.entry.at}]`)}: image ${id} has more than ${readLimits.annotations} annotations.`,
        );
    } else if (group.image)
      throw new BadAnnotationFile(
        `${inSource(source, "images")}: ${group.image.name} and ${gathered.image.name} have the same id ${id}.`,
      );
    else group.image = gathered.image;
  }
  return groups;
}

async function* readDocument(source: Source, file: AnnotationFile, options: ReadOptions): AsyncGenerator<ReadPicture> {
  const buckets = await Buckets.make(options.temporaryFolder, file.size);
  try {
    const categories = await gather(source, buckets);
    for await (const bucket of buckets.read()) {
      for (const [id, { image, entries }] of await groupByImage(bucket, source)) {
        if (!image)
          throw new BadAnnotationFile(
            `${inSource(source, `annotations[${entries[0]?.at ?? 0}]`)}: the file has no image ${id}.`,
          );
        yield toPicture(source, image, entries, categories);
      }
    }
  } finally {
    await buckets.remove();
  }
}

function toPicture(
  source: Source,
  image: CocoImage,
  entries: readonly CocoEntry[],
  categories: Categories,
): ReadPicture {
  const omissions = new Omissions();
  const annotations = entries.flatMap((entry) =>
    inPlace(
      () => inSource(source, `annotations[${entry.at}]`),
      () => {
        const label = categories.getName(entry.category);
        return readAnnotations({ image, entry, label, fileId: source.name }, omissions);
      },
    ),
  );
  return {
    name: image.name,
    uid: image.uid,
    uidEnd: findUidEnd(image.name),
    width: image.size?.width ?? null,
    height: image.size?.height ?? null,
    annotations,
    leftOut: omissions.list(),
  };
}

/** Documents of instances and skeletons, as cocodataset.org describes them, or an archive of some. */
export const coco = {
  readLabels: async (file: AnnotationFile): Promise<ReadLabel[]> => {
    const labels = new Map<string, ReadLabel>();
    for await (const source of readSources(file, isDocument)) {
      const categories = new Categories();
      for await (const { values, hasEnded } of readJson(source, ["$.categories.*"])) {
        for (const { path, value } of values)
          inPlace(
            () => inSource(source, `categories[${String(path[1])}]`),
            () => categories.add(value),
          );
        if (hasEnded) break;
      }
      for (const label of categories.list()) labels.set(label.name, label);
    }
    return [...labels.values()];
  },
  async *readPictures(file: AnnotationFile, options: ReadOptions): AsyncGenerator<ReadPicture> {
    for await (const source of readSources(file, isDocument)) yield* readDocument(source, file, options);
  },
};
