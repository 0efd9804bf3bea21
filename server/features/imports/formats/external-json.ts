import { issueLine, toIssues } from "@/domain/issues";
import { LabelInput } from "@/domain/projects/label-schema";
import { Annotation } from "@/domain/tasks/schema";
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
import { readJson } from "@/server/features/imports/formats/json-values";
import { toPictureName } from "@/server/features/imports/formats/picture-names";
import { inSource, readSources, type Source } from "@/server/features/imports/formats/sources";
import { LabelList } from "@/server/features/imports/formats/used-labels";
import {
  BadValue,
  inPlace,
  isObject,
  readAttributes,
  readName,
  readSize,
} from "@/server/features/imports/formats/values";
import { storedValue } from "@/server/platform/stored-text";

const isDocument = (name: string): boolean => name === "" || /\.json$/i.test(name);

interface Item {
  name: string;
  uid: string | null;
  size: PictureSize | null;
}
type Gathered = { item: Item } | { at: number; annotations: readonly unknown[] };

function readItem(value: unknown): Item & { uid: string } {
  if (!isObject(value)) throw new BadValue("This is no item.");
  const { uid, ref_id: key, metadata } = value;
  const { width, height } = isObject(metadata) ? metadata : {};
  const isSize = typeof width === "number" && typeof height === "number";
  return {
    uid: readName(uid, "uid"),
    name: toPictureName(readName(key, "ref_id")),
    size: isSize ? readSize(width, height) : null,
  };
}

function readResult(value: unknown): { item: string; annotations: readonly unknown[] } {
  if (!isObject(value)) throw new BadValue("This is no result.");
  const { annotations } = value;
  if (!Array.isArray(annotations)) throw new BadValue("annotations are missing.");
  if (annotations.length > readLimits.annotations)
    throw new BadValue(`There are more than ${readLimits.annotations} annotations.`);
  return { item: readName(value["dataset_item_uid"], "dataset_item_uid"), annotations };
}

function readAnnotation(value: unknown): ReadAnnotation {
  const parsed = Annotation.safeParse(value);
  if (!parsed.success) throw new BadValue(toIssues(parsed.error.issues).map(issueLine).join(" "));
  // Also the coordinates: they may have further members.
  const annotation = storedValue(parsed.data);
  return { ...annotation, attributes: readAttributes(annotation.attributes) };
}

/** Labels as a project of the document has them; older ones say names and colors only. */
function listLabels(project: unknown): ReadLabel[] {
  if (!isObject(project)) throw new BadValue("This is no project.");
  const { label_schema: described, labels } = project;
  const list: readonly unknown[] = Array.isArray(described) ? described : Array.isArray(labels) ? labels : [];
  return list.map((label, at) => {
    const parsed = LabelInput.safeParse(label);
    if (!parsed.success)
      throw new BadValue(`label ${at + 1}: ${toIssues(parsed.error.issues).map(issueLine).join(" ")}`);
    const { id: _id, retired: _retired, ...found } = parsed.data;
    return found;
  });
}

async function gather(source: Source, buckets: Buckets): Promise<void> {
  let isOwn = false;
  for await (const { values } of readJson(source, ["$.datasets.*.items.*", "$.projects.*", "$.results.*"])) {
    for (const { list, path, value } of values) {
      isOwn = true;
      const place = () =>
        inSource(
          source,
          path
            .map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`))
            .join("")
            .slice(1),
        );
      if (list === "projects") continue;
      if (list === "datasets") {
        const item = inPlace(place, () => readItem(value));
        const { uid } = item;
        await buckets.add(uid, { item: { ...item, uid: isUuid(uid) ? uid : null } } satisfies Gathered);
      } else {
        const { item, annotations } = inPlace(place, () => readResult(value));
        await buckets.add(item, { at: Number(path[1]), annotations } satisfies Gathered);
      }
    }
  }
  if (!isOwn) throw new BadAnnotationFile(`${inSource(source, "the document")} has neither items nor results.`);
}

async function* readDocument(source: Source, file: AnnotationFile, options: ReadOptions): AsyncGenerator<ReadPicture> {
  const buckets = await Buckets.make(options.temporaryFolder, file.size);
  try {
    await gather(source, buckets);
    for await (const bucket of buckets.read()) {
      const groups = new Map<string, { item: Item | null; results: Extract<Gathered, { at: number }>[] }>();
      for await (const [uid, value] of bucket) {
        // Added by `gather`.
        const gathered = value as Gathered;
        const group = groups.get(uid) ?? { item: null, results: [] };
        groups.set(uid, group);
        if ("at" in gathered) group.results.push(gathered);
        else if (group.item)
          throw new BadAnnotationFile(`${inSource(source, "datasets")}: the item ${uid} is there twice.`);
        else group.item = gathered.item;
      }
      for (const [uid, { item, results }] of groups)
        for (const { at, annotations } of results) {
          if (!item) throw new BadAnnotationFile(`${inSource(source, `results[${at}]`)}: the file has no item ${uid}.`);
          yield {
            name: item.name,
            uid: item.uid,
            uidEnd: null,
            width: item.size?.width ?? null,
            height: item.size?.height ?? null,
            annotations: annotations.map((annotation, index) =>
              inPlace(
                () => inSource(source, `results[${at}].annotations[${index}]`),
                () => readAnnotation(annotation),
              ),
            ),
            leftOut: [],
          };
        }
    }
  } finally {
    await buckets.remove();
  }
}

/** Our own document: every result as it was made; several of an item where it was labelled in several projects. */
export const externalJson = {
  readLabels: async (file: AnnotationFile): Promise<ReadLabel[]> => {
    const labels = new LabelList();
    for await (const source of readSources(file, isDocument))
      for await (const { values, hasEnded } of readJson(source, ["$.projects.*"])) {
        for (const { path, value } of values)
          for (const label of inPlace(
            () => inSource(source, `projects[${String(path[1])}]`),
            () => listLabels(value),
          ))
            labels.add(label);
        if (hasEnded) break;
      }
    return labels.list();
  },
  async *readPictures(file: AnnotationFile, options: ReadOptions): AsyncGenerator<ReadPicture> {
    for await (const source of readSources(file, isDocument)) yield* readDocument(source, file, options);
  },
};
