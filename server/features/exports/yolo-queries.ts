import pMap from "p-map";
import type { ClassNumbers, ExportContent, FormatWriter, TextFile } from "@/server/features/exports/format";
import {
  listClasses,
  readItems,
  readResults,
  type SelectedDataset,
  type SelectedItem,
} from "@/server/features/exports/selection-queries";
import { Tally } from "@/server/features/exports/tally";
import { formatLabels, isPicture, numberClasses, pictureExtensions } from "@/server/features/exports/yolo-labels";
import { writeZip, type ZipEntry } from "@/server/features/exports/zip";
import { objectStore } from "@/server/platform/storage/current";
import { displayName } from "@/server/platform/storage/file-name";
import { storeConcurrency } from "@/server/platform/storage/store";

/** A file's path in the archive without extension: the item's key, made unique by the end of its uid. */
const formatStem = ({ slug }: SelectedDataset, { key, uid }: SelectedItem): string => {
  const parts = key
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .map(displayName);
  const last = (parts.pop() ?? "item").replace(/\.[^.]+$/, "");
  return [slug, ...parts, `${last}_${uid.slice(-12)}`].join("/");
};

const quoted = (text: string): string => JSON.stringify(text);

/** Larger pictures are streamed; smaller ones are read ahead in bundles of at most `readAhead`. */
const streamAboveBytes = 1024 * 1024;
const readAhead = { items: 32, bytes: 8 * 1024 * 1024 } as const;

/** Consecutive items that are read ahead together. */
function* bundleItems(items: readonly SelectedItem[]): Generator<SelectedItem[]> {
  let bundle: SelectedItem[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = Number(item.size_bytes);
    if (bundle.length > 0 && (bundle.length >= readAhead.items || bytes + size > readAhead.bytes)) {
      yield bundle;
      [bundle, bytes] = [[], 0];
    }
    bundle.push(item);
    bytes += size;
  }
  if (bundle.length > 0) yield bundle;
}

/** The description of an archive for training: where its pictures are, and its classes. */
function formatYaml(classes: readonly string[]): string {
  const names = classes.map((name, at) => `  ${at}: ${quoted(name)}`);
  return [
    "path: .",
    "train: images",
    "val: images",
    `nc: ${classes.length}`,
    names.length > 0 ? "names:" : "names: []",
    ...names,
    "",
  ].join("\n");
}

/**
 * The entries of an archive in the reference layout: `data.yaml`, `images/<dataset>/…` and, for each picture,
 * `labels/<dataset>/….txt`.
 */
async function* readEntries(
  { ctx, selection, datasets, onProgress }: ExportContent,
  classes: readonly string[],
  tally: Tally,
): AsyncGenerator<ZipEntry> {
  const numbers = numberClasses(classes);
  yield { name: "data.yaml", bytes: Buffer.from(formatYaml(classes)) };
  const store = objectStore();
  for (const dataset of datasets) {
    for await (const items of readItems(ctx, dataset)) {
      for await (const { items: some, results } of readResults(ctx, items, selection)) {
        const labels = new Map(
          some.map((item) => [item.uid, formatLabels(item, results.get(item.uid) ?? [], numbers, tally)]),
        );
        for (const bundle of bundleItems(some.filter(isPicture))) {
          const read = await pMap<SelectedItem, ZipEntry["bytes"]>(
            bundle,
            ({ storage_key, size_bytes }) =>
              size_bytes > streamAboveBytes
                ? store.read(storage_key)
                : store.readBytes(storage_key, 0, Number(size_bytes)),
            { concurrency: storeConcurrency },
          );
          for (const [at, item] of bundle.entries()) {
            const stem = formatStem(dataset, item);
            yield { name: `images/${stem}.${pictureExtensions[item.media_type]}`, bytes: read[at] ?? Buffer.alloc(0) };
            yield { name: `labels/${stem}.txt`, bytes: Buffer.from(labels.get(item.uid) ?? "") };
          }
        }
      }
      await onProgress(items.length);
    }
  }
}

/** What `write` makes of one item, without its picture. */
async function showItem(
  { ctx, selection, datasets }: ExportContent,
  item: SelectedItem,
  classes: ClassNumbers,
): Promise<TextFile[]> {
  const results = await readResults(ctx, [item], selection).next();
  const [dataset] = datasets;
  const labels = formatLabels(item, results.value?.results.get(item.uid) ?? [], classes, new Tally([]));
  return [
    { name: "data.yaml", text: formatYaml([...classes.keys()]) },
    ...(dataset && isPicture(item) ? [{ name: `labels/${formatStem(dataset, item)}.txt`, text: labels }] : []),
  ];
}

export const yolo: FormatWriter = {
  extension: "zip",
  write: async (target, content) => {
    const { ctx, selection, datasets } = content;
    const classes = await listClasses(ctx, selection, datasets);
    const tally = new Tally(classes);
    await writeZip(readEntries(content, classes, tally), target);
    return tally.toContents();
  },
  count: (item, results, classes, tally) => void formatLabels(item, results, classes, tally),
  show: showItem,
};
