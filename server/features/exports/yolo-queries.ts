import pMap from "p-map";
import type { ExportContent, FormatWriter, Outline, TextFile } from "@/server/features/exports/format";
import {
  listClasses,
  pictureExtensions,
  readItems,
  readResults,
  type SelectedItem,
} from "@/server/features/exports/selection-queries";
import { getPart, planSplit } from "@/server/features/exports/split-queries";
import { Tally } from "@/server/features/exports/tally";
import { labelPictures, type LabelledPicture } from "@/server/features/exports/yolo-labels";
import { formatStem, formatYaml } from "@/server/features/exports/yolo-paths";
import { writeZip, type ZipEntry } from "@/server/features/exports/zip";
import { objectStore } from "@/server/platform/storage/current";
import { storeConcurrency } from "@/server/platform/storage/store";

/** Larger pictures are streamed; smaller ones are read ahead in bundles of at most `readAhead`. */
const streamAboveBytes = 1024 * 1024;
const readAhead = { items: 32, bytes: 8 * 1024 * 1024 } as const;

interface Picture extends LabelledPicture {
  item: SelectedItem;
}

/** Consecutive pictures that are read ahead together. */
function* bundlePictures(pictures: readonly Picture[]): Generator<Picture[]> {
  let bundle: Picture[] = [];
  let bytes = 0;
  for (const picture of pictures) {
    const size = Number(picture.item.size_bytes);
    if (bundle.length > 0 && (bundle.length >= readAhead.items || bytes + size > readAhead.bytes)) {
      yield bundle;
      [bundle, bytes] = [[], 0];
    }
    bundle.push(picture);
    bytes += size;
  }
  if (bundle.length > 0) yield bundle;
}

const startTally = ({ classes, split }: Outline): Tally => new Tally(classes, split.by);

const readBytes = ({ item: { storage_key, size_bytes } }: Picture): Promise<ZipEntry["bytes"]> =>
  size_bytes > streamAboveBytes
    ? objectStore().read(storage_key)
    : objectStore().readBytes(storage_key, 0, Number(size_bytes));

/** The description of an archive, as far as its pictures are counted. */
const describe = ({ classes }: Outline, tally: Tally): string =>
  formatYaml(classes.names, tally.toContents().split ?? { by: "nothing", train: 0, val: 0, test: 0 });

/**
 * The entries of an archive in the layout that trainers read: `images/<part>/<dataset>/…`, for each picture
 * `labels/<part>/<dataset>/….txt`, and `data.yaml`, which comes last because it names the parts that are not empty.
 */
async function* readEntries(
  { ctx, selection, datasets, onProgress }: ExportContent,
  outline: Outline,
  tally: Tally,
): AsyncGenerator<ZipEntry> {
  for (const dataset of datasets) {
    for await (const items of readItems(ctx, dataset, selection)) {
      for await (const { items: some, results } of readResults(ctx, items, selection)) {
        const pictures = some.flatMap((item) =>
          labelPictures(item, results.get(item.uid) ?? [], outline, tally).map((labelled) => ({ ...labelled, item })),
        );
        for (const bundle of bundlePictures(pictures)) {
          const read = await pMap(bundle, readBytes, { concurrency: storeConcurrency });
          for (const [at, { item, project, labels }] of bundle.entries()) {
            const stem = formatStem(dataset, item, getPart(outline.split, item), project);
            yield { name: `images/${stem}.${pictureExtensions[item.media_type]}`, bytes: read[at] ?? Buffer.alloc(0) };
            yield { name: `labels/${stem}.txt`, bytes: Buffer.from(labels) };
          }
        }
      }
      await onProgress(items.length);
    }
  }
  yield { name: "data.yaml", bytes: Buffer.from(describe(outline, tally)) };
}

/** What `write` makes of one item, without its pictures. */
async function showItem(
  { ctx, selection, datasets }: ExportContent,
  item: SelectedItem,
  outline: Outline,
  tally: Tally,
): Promise<TextFile[]> {
  const results = await readResults(ctx, [item], selection).next();
  const [dataset] = datasets;
  const pictures = labelPictures(item, results.value?.results.get(item.uid) ?? [], outline, startTally(outline));
  return [
    { name: "data.yaml", text: describe(outline, tally) },
    ...pictures.flatMap(({ project, labels }) =>
      dataset
        ? [{ name: `labels/${formatStem(dataset, item, getPart(outline.split, item), project)}.txt`, text: labels }]
        : [],
    ),
  ];
}

export const yolo: FormatWriter = {
  extension: "zip",
  write: async (target, content) => {
    const { ctx, selection, datasets } = content;
    const outline = {
      classes: await listClasses(ctx, selection, datasets),
      split: await planSplit(ctx, selection, datasets),
      background: selection.background,
    };
    const tally = startTally(outline);
    await writeZip(readEntries(content, outline, tally), target);
    return tally.toContents();
  },
  startTally,
  count: (item, results, outline, tally) => void labelPictures(item, results, outline, tally),
  show: showItem,
};
