import {
  noPlan,
  type ExportContent,
  type FormatWriter,
  type Outline,
  type TextFile,
} from "@/server/features/exports/format";
import { composeRegions, formatConfig } from "@/server/features/exports/label-studio-results";
import { readOne, readPictures, type PictureFile } from "@/server/features/exports/picture-files";
import { countForTool } from "@/server/features/exports/pictures";
import {
  listClasses,
  pictureExtensions,
  type SelectedDataset,
  type SelectedItem,
  type SelectedResult,
} from "@/server/features/exports/selection-queries";
import { getSize, toAnnotation } from "@/server/features/exports/shapes";
import { finish, type Steps } from "@/server/features/exports/steps";
import { Tally } from "@/server/features/exports/tally";
import { withSpool } from "@/server/features/exports/text-spool";
import { formatStem } from "@/server/features/exports/yolo-paths";
import { writeZip, type ZipEntry } from "@/server/features/exports/zip";

const tasksName = "tasks.json";
const configName = "labeling-config.xml";

/** Where Label Studio serves files of its own disk, by their path below its document root. */
const localFiles = "/data/local-files/?d=";

const startTally = ({ classes }: Outline): Tally => new Tally(classes);

interface Picture extends PictureFile {
  /** Made when they are written: brushes of many pictures would not fit into memory together. */
  annotations: readonly (() => object)[];
}

/** The annotations of an item, one for each result, to be made; null for one that is no picture. */
function* composeItem(
  item: SelectedItem,
  results: readonly SelectedResult[],
  { classes }: Outline,
  tally: Tally,
): Steps<(() => object)[] | null> {
  if (!countForTool(item, results, tally)) return null;
  const composed: (() => object)[] = [];
  for (const { uid, annotations } of results) {
    const { make } = yield* composeRegions(annotations.map(toAnnotation), getSize(item), classes, tally, uid);
    composed.push(() => ({ result: make(), was_cancelled: false, ground_truth: false }));
  }
  return composed;
}

function choosePictures(dataset: SelectedDataset, item: SelectedItem, composed: (() => object)[] | null): Picture[] {
  const stem = formatStem(dataset, item, null, null);
  if (composed === null) return [];
  return [{ item, name: `images/${stem}.${pictureExtensions[item.media_type]}`, annotations: composed }];
}

const toTask = ({ item, name, annotations }: Picture): object => ({
  data: { image: `${localFiles}${encodeURIComponent(name)}`, key: item.key, uid: item.uid },
  annotations: annotations.map((make) => make()),
});

/** What `write` makes of one item, without its pictures. */
async function showItem(content: ExportContent, item: SelectedItem, outline: Outline): Promise<TextFile[]> {
  const one = await readOne(content, item);
  const pictures = one
    ? choosePictures(one.dataset, item, finish(composeItem(item, one.results, outline, startTally(outline))))
    : [];
  return [
    { name: configName, text: formatConfig(outline.classes) },
    { name: tasksName, text: JSON.stringify(pictures.map(toTask), null, 2) },
  ];
}

/** An archive for Label Studio: the pictures, tasks with their annotations, and the labeling configuration. */
export const labelStudio: FormatWriter = {
  extension: "zip",
  write: async (target, content) => {
    const { ctx, selection, datasets } = content;
    const classes = await listClasses(ctx, selection, datasets);
    const outline: Outline = { classes, ...noPlan, background: selection.background };
    const tally = startTally(outline);
    await withSpool(`${target}.tasks`, async (spool) => {
      async function* entries(): AsyncGenerator<ZipEntry> {
        let isFirst = true;
        const pictures = readPictures(content, (dataset, item, results) =>
          choosePictures(dataset, item, finish(composeItem(item, results, outline, tally))),
        );
        for await (const { picture, entry } of pictures) {
          yield entry;
          await spool.add(`${isFirst ? "" : ",\n"}${JSON.stringify(toTask(picture))}`);
          isFirst = false;
        }
        yield { name: configName, bytes: Buffer.from(formatConfig(classes)) };
        yield { name: tasksName, bytes: spool.read("[", "]\n") };
      }
      await writeZip(entries(), target);
    });
    return tally.toContents();
  },
  startTally,
  *count(item, results, outline, tally) {
    yield* composeItem(item, results, outline, tally);
  },
  show: (content, item, outline) => showItem(content, item, outline),
};
