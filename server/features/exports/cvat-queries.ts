import { listLabels } from "@/server/features/exports/cvat-labels";
import { composeCvat, type SeenAttributes } from "@/server/features/exports/cvat-shapes";
import {
  noPlan,
  type ExportContent,
  type FormatWriter,
  type Outline,
  type TextFile,
} from "@/server/features/exports/format";
import { element, textElement } from "@/server/features/exports/markup";
import { readOne, readPictures, type PictureFile } from "@/server/features/exports/picture-files";
import { countForTool, groupByProject } from "@/server/features/exports/pictures";
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

const documentName = "annotations.xml";

const startTally = ({ classes }: Outline): Tally => new Tally(classes);

interface Picture extends PictureFile {
  /** The name by which CVAT knows it: its path below `images/`. */
  frame: string;
  /** The elements of its shapes. Made when they are written: masks of many pictures would not fit into memory together. */
  makeShapes: () => string;
}

interface ComposedPicture {
  /** Null unless the item is there for several projects. */
  project: string | null;
  /** The elements of its shapes. */
  make: () => string;
}

/** The shapes of an item, once for each project that labelled it. */
function* composeItem(
  item: SelectedItem,
  results: readonly SelectedResult[],
  { classes }: Outline,
  tally: Tally,
  seen: SeenAttributes,
): Steps<ComposedPicture[]> {
  if (!countForTool(item, results, tally)) return [];
  const projects = groupByProject(results);
  if (projects.length > 1) tally.lose("item_repeated");
  if (projects.length === 0) return [{ project: null, make: () => "" }];
  const pictures: ComposedPicture[] = [];
  for (const [project, own] of projects) {
    const annotations = own.flatMap((result) => result.annotations.map(toAnnotation));
    const { make } = yield* composeCvat(annotations, getSize(item), classes, tally, seen);
    pictures.push({ project: projects.length > 1 ? project : null, make });
  }
  return pictures;
}

function choosePictures(dataset: SelectedDataset, item: SelectedItem, composed: readonly ComposedPicture[]): Picture[] {
  return composed.map(({ project, make }) => {
    const frame = `${formatStem(dataset, item, null, project)}.${pictureExtensions[item.media_type]}`;
    return { item, name: `images/${frame}`, frame, makeShapes: make };
  });
}

function toImage(id: number, { item, frame, makeShapes }: Picture): string {
  const shapes = makeShapes();
  return `  ${element("image", { id, name: frame, ...getSize(item) }, shapes === "" ? "" : `\n${shapes}  `)}\n`;
}

/** The document before its pictures. */
function formatHead({ info }: ExportContent, { classes }: Outline, seen: SeenAttributes, pictures: number): string {
  const task = [
    textElement("name", info.name),
    textElement("size", pictures),
    textElement("mode", "annotation"),
    textElement("overlap", 0),
    textElement("bugtracker", ""),
    textElement("flipped", "False"),
    textElement("created", info.created_at),
    textElement("updated", info.created_at),
    listLabels(classes, seen),
  ];
  const meta = element("meta", {}, `${element("task", {}, task.join(""))}${textElement("dumped", info.created_at)}`);
  return `<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n  ${textElement("version", "1.1")}\n  ${meta}\n`;
}

const foot = "</annotations>\n";

/** What `write` makes of one item, without its pictures. */
async function showItem(content: ExportContent, item: SelectedItem, outline: Outline): Promise<TextFile[]> {
  const one = await readOne(content, item);
  const seen: SeenAttributes = new Map();
  const pictures = one
    ? choosePictures(one.dataset, item, finish(composeItem(item, one.results, outline, startTally(outline), seen)))
    : [];
  const images = pictures.map((picture, at) => toImage(at, picture)).join("");
  return [{ name: documentName, text: `${formatHead(content, outline, seen, pictures.length)}${images}${foot}` }];
}

/** An archive as "CVAT for images 1.1" has it: the pictures, and a document of their shapes. */
export const cvat: FormatWriter = {
  extension: "zip",
  write: async (target, content) => {
    const { ctx, selection, datasets } = content;
    const classes = await listClasses(ctx, selection, datasets);
    const outline: Outline = { classes, ...noPlan, background: selection.background };
    const tally = startTally(outline);
    const seen: SeenAttributes = new Map();
    await withSpool(`${target}.images`, async (spool) => {
      async function* entries(): AsyncGenerator<ZipEntry> {
        let count = 0;
        const pictures = readPictures(content, (dataset, item, results) =>
          choosePictures(dataset, item, finish(composeItem(item, results, outline, tally, seen))),
        );
        for await (const { picture, entry } of pictures) {
          yield entry;
          await spool.add(toImage(count, picture));
          count += 1;
        }
        yield { name: documentName, bytes: spool.read(formatHead(content, outline, seen, count), foot) };
      }
      await writeZip(entries(), target);
    });
    return tally.toContents();
  },
  startTally,
  *count(item, results, outline, tally) {
    yield* composeItem(item, results, outline, tally, new Map());
  },
  show: (content, item, outline) => showItem(content, item, outline),
};
