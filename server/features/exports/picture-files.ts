import pMap from "p-map";
import type { ExportContent } from "@/server/features/exports/format";
import {
  readItems,
  readResults,
  type SelectedDataset,
  type SelectedItem,
  type SelectedResult,
} from "@/server/features/exports/selection-queries";
import type { ZipEntry } from "@/server/features/exports/zip";
import { objectStore } from "@/server/platform/storage/current";
import { storeConcurrency } from "@/server/platform/storage/store";

/** Larger pictures are streamed; smaller ones are read ahead in bundles of at most `readAhead`. */
const streamAboveBytes = 1024 * 1024;
const readAhead = { items: 32, bytes: 8 * 1024 * 1024 } as const;

/** A picture of an archive. */
export interface PictureFile {
  item: SelectedItem;
  /** Its path in the archive. */
  name: string;
}

/** Consecutive pictures that are read ahead together. */
function* bundlePictures<P extends PictureFile>(pictures: readonly P[]): Generator<P[]> {
  let bundle: P[] = [];
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

const readBytes = ({ item: { storage_key, size_bytes } }: PictureFile): Promise<ZipEntry["bytes"]> =>
  size_bytes > streamAboveBytes
    ? objectStore().read(storage_key)
    : objectStore().readBytes(storage_key, 0, Number(size_bytes));

/** The pictures that `choose` makes of each selected item, with the entries that hold them. */
export async function* readPictures<P extends PictureFile>(
  { ctx, selection, datasets, onProgress }: ExportContent,
  choose: (dataset: SelectedDataset, item: SelectedItem, results: readonly SelectedResult[]) => P[],
): AsyncGenerator<{ picture: P; entry: ZipEntry }> {
  for (const dataset of datasets) {
    for await (const items of readItems(ctx, dataset, selection)) {
      for await (const { items: some, results } of readResults(ctx, items, selection)) {
        const pictures = some.flatMap((item) => choose(dataset, item, results.get(item.uid) ?? []));
        for (const bundle of bundlePictures(pictures)) {
          const read = await pMap(bundle, readBytes, { concurrency: storeConcurrency });
          for (const [at, picture] of bundle.entries())
            yield { picture, entry: { name: picture.name, bytes: read[at] ?? Buffer.alloc(0) } };
        }
      }
      await onProgress(items.length);
    }
  }
}

/** The first dataset of an export with the results of one item, for what is shown of it. */
export async function readOne(
  { ctx, selection, datasets }: ExportContent,
  item: SelectedItem,
): Promise<{ dataset: SelectedDataset; results: readonly SelectedResult[] } | null> {
  const [dataset] = datasets;
  const read = await readResults(ctx, [item], selection).next();
  return dataset ? { dataset, results: read.value?.results.get(item.uid) ?? [] } : null;
}
