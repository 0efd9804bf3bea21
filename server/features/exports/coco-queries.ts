import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { ExportContents } from "@/domain/exports/schema";
import { BlockWriter } from "@/server/features/exports/block-writer";
import type { Classes } from "@/server/features/exports/class-numbers";
import { composeCoco, listCategories, type CocoAnnotation } from "@/server/features/exports/coco-annotations";
import {
  noPlan,
  type ExportContent,
  type FormatWriter,
  type Outline,
  type TextFile,
} from "@/server/features/exports/format";
import { readOne } from "@/server/features/exports/picture-files";
import { labelPictures, type LabelledPicture } from "@/server/features/exports/pictures";
import {
  listClasses,
  readItems,
  readResults,
  type SelectedDataset,
  type SelectedItem,
  type SelectedResult,
} from "@/server/features/exports/selection-queries";
import { getSize } from "@/server/features/exports/shapes";
import { finish, type Steps } from "@/server/features/exports/steps";
import { Tally } from "@/server/features/exports/tally";
import { displayName } from "@/server/platform/storage/file-name";

type Picture = LabelledPicture<CocoAnnotation[]>;

const startTally = ({ classes }: Outline): Tally => new Tally(classes);

const choosePictures = (
  item: SelectedItem,
  results: readonly SelectedResult[],
  outline: Outline,
  tally: Tally,
): Steps<Picture[]> =>
  labelPictures(item, results, outline, tally, (annotations) =>
    composeCoco(annotations, getSize(item), outline.classes, tally),
  );

/** What documents of COCO say of themselves. */
export const describeCoco = ({ info }: ExportContent) => ({
  info: {
    description: info.name,
    version: "1.0",
    date_created: info.created_at,
    year: Number(info.created_at.slice(0, 4)),
  },
  licenses: [],
});

/** The document's members before its pictures. */
const describe = (content: ExportContent, classes: Classes) => ({
  ...describeCoco(content),
  categories: listCategories(classes),
});

/** How documents of COCO name a picture. Keys are unique in a dataset only. */
export const toImageName = (datasets: number, { slug }: SelectedDataset, { key }: SelectedItem): string =>
  datasets > 1 ? `${slug}/${key}` : key;

/** Numbers pictures and annotations in the order in which they are written. */
class Numbering {
  private images = 0;
  private annotations = 0;

  constructor(private readonly datasets: number) {}

  /** A picture and its annotations. */
  number(dataset: SelectedDataset, item: SelectedItem, { make }: Picture) {
    this.images += 1;
    const image_id = this.images;
    const fileName = toImageName(this.datasets, dataset, item);
    return {
      image: { id: image_id, ...getSize(item), file_name: fileName, uid: item.uid },
      annotations: make().map((annotation) => {
        this.annotations += 1;
        return { id: this.annotations, image_id, ...annotation };
      }),
    };
  }
}

/** Writes texts to a file as members of a list. */
class ListWriter {
  private isEmpty = true;

  constructor(private readonly blocks: BlockWriter) {}

  async add(values: readonly object[]): Promise<void> {
    if (values.length === 0) return;
    const text = values.map((value) => JSON.stringify(value)).join(",");
    await this.blocks.add(Buffer.from(this.isEmpty ? text : `,${text}`));
    this.isEmpty = false;
  }
}

/**
 * Writes the document to the file `target`. Its annotations follow all of its pictures, so that they are collected in
 * `<target>.annotations`, which the caller deletes.
 */
async function writeDocument(target: string, content: ExportContent): Promise<ExportContents> {
  const { ctx, selection, datasets, onProgress } = content;
  const classes = await listClasses(ctx, selection, datasets);
  const outline: Outline = { classes, ...noPlan, background: selection.background };
  const tally = startTally(outline);
  const numbering = new Numbering(datasets.length);
  const spool = `${target}.annotations`;
  const [file, spooled] = [await open(target, "w", 0o600), await open(spool, "w", 0o600)];
  try {
    const [out, collected] = [new BlockWriter(file), new BlockWriter(spooled)];
    const [images, annotations] = [new ListWriter(out), new ListWriter(collected)];
    await out.add(Buffer.from(`${JSON.stringify(describe(content, classes)).slice(0, -1)},"images":[`));
    for (const dataset of datasets) {
      for await (const items of readItems(ctx, dataset, selection)) {
        for await (const { items: some, results } of readResults(ctx, items, selection)) {
          const numbered = some.flatMap((item) =>
            finish(choosePictures(item, results.get(item.uid) ?? [], outline, tally)).map((picture) =>
              numbering.number(dataset, item, picture),
            ),
          );
          await images.add(numbered.map(({ image }) => image));
          for (const each of numbered) await annotations.add(each.annotations);
        }
        await onProgress(items.length);
      }
    }
    await collected.flush();
    await out.add(Buffer.from(`],"annotations":[`));
    for await (const part of createReadStream(spool) as AsyncIterable<Buffer>) await out.add(part);
    await out.add(Buffer.from("]}"));
    await out.flush();
  } finally {
    await Promise.all([file.close(), spooled.close()]);
  }
  return tally.toContents();
}

/** The document with one item, indented to be read. */
async function showItem(content: ExportContent, item: SelectedItem, outline: Outline): Promise<TextFile[]> {
  const one = await readOne(content, item);
  const pictures = one ? finish(choosePictures(item, one.results, outline, startTally(outline))) : [];
  const numbering = new Numbering(1);
  const numbered = one ? pictures.map((picture) => numbering.number(one.dataset, item, picture)) : [];
  const document = {
    images: numbered.map(({ image }) => image),
    annotations: numbered.flatMap(({ annotations }) => annotations),
    ...describe(content, outline.classes),
  };
  return [{ name: displayName(`${content.info.name}.json`), text: JSON.stringify(document, null, 2) }];
}

/** One document of instances and skeletons, as cocodataset.org describes them, of pictures that are not in it. */
export const coco: FormatWriter = {
  extension: "json",
  write: writeDocument,
  startTally,
  *count(item, results, outline, tally) {
    yield* choosePictures(item, results, outline, tally);
  },
  show: (content, item, outline) => showItem(content, item, outline),
};
