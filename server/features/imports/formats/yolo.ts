import { parse } from "yaml";
import { showName, type ReadLabels } from "@/domain/projects/label-files/found-labels";
import { listYoloClasses, readYoloLabels } from "@/domain/projects/label-files/yolo-labels";
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
import { findUidEnd, toPictureName } from "@/server/features/imports/formats/picture-names";
import { toStableUid } from "@/server/features/imports/formats/shapes";
import { isArchive, readArchive, readText, type Source } from "@/server/features/imports/formats/sources";
import { BadValue, inPlace, isObject, Omissions } from "@/server/features/imports/formats/values";
import {
  areBoxCorners,
  readLine,
  readShapes,
  toPoints,
  type YoloKind,
  type YoloLine,
} from "@/server/features/imports/formats/yolo-lines";

const maxDescription = 256 * 1024;
/** How many lines show whether four points are boxes, and the share of them that have to be. */
const shownLines = 2_000;
const minBoxes = 0.8;

export const isDescription = (name: string): boolean => /(^|\/)(data|dataset)\.ya?ml$/i.test(name);
/** A list of classes by line, as Label Studio and Darknet write it. */
export const isClassList = (name: string): boolean => /(^|\/)(classes|obj)\.(txt|names)$/i.test(name);
/** The path below `labels`, without extension; null for another file. */
export const findStem = (name: string): string | null => /(?:^|\/)labels\/(.+)\.txt$/i.exec(name)?.[1] ?? null;
const picture = /(?:^|\/)images\/(.+)\.(jpe?g|png|webp|bmp|gif|tiff?|avif)$/i;

/** What an archive says beside its labels. */
interface Survey {
  classes: ReadonlyMap<number, string>;
  labels: ReadLabels;
  skeleton: YoloKind["skeleton"];
  /** The extensions of the pictures that it holds, by their paths below `images`. */
  extensions: ReadonlyMap<string, string>;
}

function parseYaml(source: Source, text: string): unknown {
  if (text.length > maxDescription) throw new BadAnnotationFile(`${showName(source.name)} is longer than 256 KiB.`);
  try {
    return parse(text, { maxAliasCount: 10 });
  } catch (error) {
    const [line] = error instanceof Error ? error.message.split("\n", 1) : [];
    throw new BadAnnotationFile(`${showName(source.name)} is no YAML: ${line ?? "it cannot be read."}`);
  }
}

function readSkeleton(description: unknown): YoloKind["skeleton"] {
  const shape = isObject(description) ? description["kpt_shape"] : undefined;
  if (shape === undefined || shape === null) return null;
  const [points, numbers]: readonly unknown[] = Array.isArray(shape) ? shape : [];
  if (typeof points !== "number" || !Number.isInteger(points) || points < 1 || points > 1_000)
    throw new BadValue("kpt_shape does not say how many points a skeleton has.");
  if (numbers !== 2 && numbers !== 3) throw new BadValue("kpt_shape does not say 2 or 3 numbers for each point.");
  return { points, numbers };
}

const limitClasses = (count: number): void => {
  if (count > readLimits.labels) throw new BadValue(`There are more than ${readLimits.labels} classes.`);
};

type Description = Pick<Survey, "classes" | "labels" | "skeleton">;

function readDescription(source: Source, text: string): Description {
  const description = parseYaml(source, text);
  return inPlace(
    () => showName(source.name),
    () => {
      const classes = listYoloClasses(description);
      if (!classes) throw new BadValue("There are no classes: they are listed as names.");
      limitClasses(classes.size);
      return { classes, labels: readYoloLabels(description), skeleton: readSkeleton(description) };
    },
  );
}

/** Classes by line, as other programs write them beside the labels. */
function readClassList(source: Source, text: string): Description {
  const names = text.split(/\r\n|\r|\n/).map((name) => name.trim());
  while (names.at(-1) === "") names.pop();
  inPlace(
    () => showName(source.name),
    () => limitClasses(names.length),
  );
  return { classes: new Map(names.map((name, at) => [at, name])), labels: readYoloLabels({ names }), skeleton: null };
}

/** The description nearest to the root of the archive; of a kind with classes by line only without another. */
async function survey(file: AnnotationFile): Promise<Survey> {
  if (!(await isArchive(file)))
    throw new BadAnnotationFile("Labels of YOLO are read from a ZIP archive; this is none.");
  const extensions = new Map<string, string>();
  const found: { rank: number; description: Description }[] = [];
  for await (const source of readArchive(file)) {
    const [, stem, extension] = picture.exec(source.name) ?? [];
    if (stem !== undefined && extension !== undefined) {
      if (extensions.size === readLimits.pictures)
        throw new BadAnnotationFile(`The ZIP archive holds more than ${readLimits.pictures} pictures.`);
      extensions.set(stem, extension);
    } else if (isDescription(source.name) || isClassList(source.name)) {
      const isYaml = isDescription(source.name);
      const rank = source.name.split("/").length + (isYaml ? 0 : 1_000);
      const best = found.at(-1)?.rank ?? Infinity;
      if (rank >= best) continue;
      const text = await readText(source);
      found.push({ rank, description: isYaml ? readDescription(source, text) : readClassList(source, text) });
    }
  }
  const description = found.at(-1)?.description;
  if (!description) throw new BadAnnotationFile("The ZIP archive holds no data.yaml, which names the classes.");
  return { ...description, extensions };
}

/** A file of labels, its lines with their places. */
interface LabelFile {
  picture: Pick<ReadPicture, "name" | "uid" | "uidEnd">;
  lines: { at: number; line: YoloLine }[];
  place: (at: number) => string;
}

async function* readLabelFiles(file: AnnotationFile, { classes, extensions }: Survey): AsyncGenerator<LabelFile> {
  for await (const source of readArchive(file)) {
    const stem = findStem(source.name);
    if (stem === null) continue;
    const place = (at: number) => `${showName(source.name)}, line ${at + 1}`;
    const extension = extensions.get(stem);
    const name = inPlace(
      () => showName(source.name),
      () => toPictureName(extension === undefined ? stem : `${stem}.${extension}`),
    );
    const lines: LabelFile["lines"] = [];
    for (const [at, text] of (await readText(source)).split(/\r\n|\r|\n/).entries())
      inPlace(
        () => place(at),
        () => {
          const line = readLine(text);
          if (!line) return;
          if (!classes.has(line.class)) throw new BadValue(`There is no class ${line.class}.`);
          if (lines.length === readLimits.annotations)
            throw new BadValue(`There are more than ${readLimits.annotations} annotations of one picture.`);
          lines.push({ at, line });
        },
      );
    yield { picture: { name, uid: null, uidEnd: findUidEnd(stem) }, lines, place };
  }
}

const getSize = async (picture: LabelFile["picture"], { pictureSize }: ReadOptions): Promise<PictureSize | null> =>
  (await pictureSize?.(picture)) ?? null;

/** Whether every line has four points, and they are the corners of boxes. */
async function isOriented(file: AnnotationFile, surveyed: Survey, options: ReadOptions): Promise<boolean> {
  if (surveyed.skeleton) return false;
  let [lines, measured, boxes] = [0, 0, 0];
  for await (const { picture, lines: own } of readLabelFiles(file, surveyed)) {
    if (own.some(({ line }) => line.columns.length !== 8)) return false;
    lines += own.length;
    const size = own.length > 0 ? await getSize(picture, options) : null;
    if (size) {
      measured += own.length;
      boxes += own.filter(({ line }) => areBoxCorners(toPoints(line.columns, size))).length;
    }
    if (lines >= shownLines) break;
  }
  return lines > 0 && boxes >= minBoxes * measured;
}

function toPicture(
  { picture, lines, place }: LabelFile,
  size: PictureSize | null,
  classes: Survey["classes"],
  kind: YoloKind,
): ReadPicture {
  const omissions = new Omissions();
  const annotations: ReadAnnotation[] = [];
  if (!size && lines.length > 0)
    omissions.add("The size of the picture is not known, and the file says shares of it.", lines.length);
  for (const { at, line } of size ? lines : [])
    inPlace(
      () => place(at),
      () => {
        const { made, confidence } = readShapes(line, kind, size ?? { width: 1, height: 1 });
        const shapes = made.flatMap((shape) => (typeof shape === "string" ? [] : [shape]));
        for (const shape of made) if (typeof shape === "string") omissions.add(shape);
        const attributes = {
          ...(confidence !== undefined && { confidence }),
          ...(shapes.length > 1 && { group: toStableUid(picture.name, at) }),
        };
        const label = classes.get(line.class) ?? "";
        for (const shape of shapes) annotations.push({ label, ...shape, attributes: { ...attributes } });
      },
    );
  return {
    ...picture,
    width: null,
    height: null,
    annotations,
    leftOut: omissions.list(),
  };
}

/**
 * Archives of labels for YOLO's trainers, of any task: its lines say by their columns what they are, skeletons by
 * `kpt_shape`. Lines of four points are turned boxes where all are so and most have right angles, else outlines.
 */
export const yolo = {
  readLabels: async (file: AnnotationFile): Promise<ReadLabel[]> => {
    const { labels } = await survey(file);
    return "fault" in labels ? [] : [...labels.labels];
  },
  async *readPictures(file: AnnotationFile, options: ReadOptions): AsyncGenerator<ReadPicture> {
    const surveyed = await survey(file);
    const kind = { skeleton: surveyed.skeleton, isOriented: await isOriented(file, surveyed, options) };
    for await (const labels of readLabelFiles(file, surveyed)) {
      const size = labels.lines.length > 0 ? await getSize(labels.picture, options) : null;
      yield toPicture(labels, size, surveyed.classes, kind);
    }
  },
};
