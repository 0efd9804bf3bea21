import type { YoloFormat } from "@/domain/exports/formats";
import type { Label } from "@/domain/projects/label-schema";
import type { Classes } from "@/server/features/exports/class-numbers";
import type { ExportContent, FormatWriter, Outline, Plan, Planned, TextFile } from "@/server/features/exports/format";
import { countPoints, type HeldShapes } from "@/server/features/exports/held-queries";
import { readOne, readPictures, type PictureFile } from "@/server/features/exports/picture-files";
import { labelPictures } from "@/server/features/exports/pictures";
import {
  listClasses,
  pictureExtensions,
  type SelectedDataset,
  type SelectedItem,
  type SelectedResult,
} from "@/server/features/exports/selection-queries";
import { getSize } from "@/server/features/exports/shapes";
import { getPart, planSplit } from "@/server/features/exports/split-queries";
import { finish } from "@/server/features/exports/steps";
import { Tally } from "@/server/features/exports/tally";
import { formatLabels } from "@/server/features/exports/yolo-labels";
import { formatStem, formatYaml, type Skeletons } from "@/server/features/exports/yolo-paths";
import { writeZip, type ZipEntry } from "@/server/features/exports/zip";

/** The shapes that a file holds for each task. */
const heldShapes: Readonly<Record<YoloFormat, HeldShapes>> = {
  YOLO: "bounds",
  "YOLO-segment": "areas",
  "YOLO-pose": "points",
  "YOLO-OBB": "bounds",
};

interface Picture extends PictureFile {
  labelName: string;
  /** The text of its label file, made when it is written. */
  makeLabels: () => string;
}

const startTally = ({ classes, split }: Outline): Tally => new Tally(classes, split?.by);

/** The labels with a skeleton. */
const listSkeletons = ({ labels }: Classes): Label[] => [...labels.values()].filter(({ points }) => points.length > 0);

/** The trainer reads as many points of every object. */
function refuseSkeletons(classes: Classes): string | null {
  const skeletons = listSkeletons(classes);
  if (new Set(skeletons.map(({ points }) => points.length)).size < 2) return null;
  const sizes = skeletons.map(({ name, points }) => `${name} ${points.length}`).join(", ");
  return `All skeletons of a file have the same number of points, and here they differ: ${sizes}. Choose one project, or another format.`;
}

async function plan(format: YoloFormat, { ctx, selection, datasets, classes }: Planned): Promise<Plan> {
  const split = await planSplit(ctx, selection, datasets, heldShapes[format]);
  if (format !== "YOLO-pose") return { split, points: null };
  const [skeleton] = listSkeletons(classes);
  return { split, points: skeleton?.points.length ?? (await countPoints(ctx, selection, datasets)) };
}

/** The description of an archive, as far as its pictures are counted. */
function describe(format: YoloFormat, { classes, points }: Outline, tally: Tally): string {
  const names = [...classes.labels].flatMap(([at, label]): [number, readonly string[]][] =>
    label.points.length > 0 ? [[at, label.points]] : [],
  );
  const skeletons: Skeletons | null = format === "YOLO-pose" ? { points: points ?? 0, names } : null;
  const split = tally.toContents().split ?? { by: "nothing", train: 0, val: 0, test: 0 };
  return formatYaml(classes.names, split, skeletons);
}

/** What an archive holds of an item. */
function choosePictures(
  format: YoloFormat,
  outline: Outline,
  tally: Tally,
  dataset: SelectedDataset,
  item: SelectedItem,
  results: readonly SelectedResult[],
): Picture[] {
  const pictures = finish(
    labelPictures(item, results, outline, tally, (annotations) =>
      formatLabels(annotations, getSize(item), format, outline, tally),
    ),
  );
  return pictures.map(({ project, make }) => {
    const stem = formatStem(dataset, item, getPart(outline.split, item), project);
    const name = `images/${stem}.${pictureExtensions[item.media_type]}`;
    return { item, name, labelName: `labels/${stem}.txt`, makeLabels: make };
  });
}

/**
 * The entries of an archive in the layout that trainers read: `images/<part>/<dataset>/…`, for each picture
 * `labels/<part>/<dataset>/….txt`, and `data.yaml`, which comes last because it names the parts that are not empty.
 */
async function* readEntries(
  format: YoloFormat,
  content: ExportContent,
  outline: Outline,
  tally: Tally,
): AsyncGenerator<ZipEntry> {
  const pictures = readPictures(content, (dataset, item, results) =>
    choosePictures(format, outline, tally, dataset, item, results),
  );
  for await (const { picture, entry } of pictures) {
    yield entry;
    yield { name: picture.labelName, bytes: Buffer.from(picture.makeLabels()) };
  }
  yield { name: "data.yaml", bytes: Buffer.from(describe(format, outline, tally)) };
}

/** What `write` makes of one item, without its pictures. */
async function showItem(
  format: YoloFormat,
  content: ExportContent,
  item: SelectedItem,
  outline: Outline,
  tally: Tally,
): Promise<TextFile[]> {
  const one = await readOne(content, item);
  const pictures = one ? choosePictures(format, outline, startTally(outline), one.dataset, item, one.results) : [];
  return [
    { name: "data.yaml", text: describe(format, outline, tally) },
    ...pictures.map(({ labelName, makeLabels }) => ({ name: labelName, text: makeLabels() })),
  ];
}

/** The writer of archives for one of the tasks that YOLO is trained for. */
export const makeYoloWriter = (format: YoloFormat): FormatWriter => ({
  extension: "zip",
  ...(format === "YOLO-pose" && { refuse: refuseSkeletons }),
  plan: (planned) => plan(format, planned),
  write: async (target, content) => {
    const { ctx, selection, datasets } = content;
    const classes = await listClasses(ctx, selection, datasets);
    const outline = {
      classes,
      ...(await plan(format, { ctx, selection, datasets, classes })),
      background: selection.background,
    };
    const tally = startTally(outline);
    await writeZip(readEntries(format, content, outline, tally), target);
    return tally.toContents();
  },
  startTally,
  *count(item, results, outline, tally) {
    yield* labelPictures(item, results, outline, tally, (annotations) =>
      formatLabels(annotations, getSize(item), format, outline, tally),
    );
  },
  show: (content, item, outline, tally) => showItem(format, content, item, outline, tally),
});
