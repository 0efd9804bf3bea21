import { readLabelStudioLabels, type Markup } from "@/domain/projects/label-files/label-studio-labels";
import { isUuid } from "@/domain/uid";
import {
  BadAnnotationFile,
  readLimits,
  type AnnotationFile,
  type ReadLabel,
  type ReadOptions,
  type ReadPicture,
} from "@/server/features/imports/formats/annotation-file";
import { readJson } from "@/server/features/imports/formats/json-values";
import { readRegions } from "@/server/features/imports/formats/label-studio-regions";
import { findUidEnd, toPictureName } from "@/server/features/imports/formats/picture-names";
import { inSource, readSources, type Source } from "@/server/features/imports/formats/sources";
import { LabelList } from "@/server/features/imports/formats/used-labels";
import { BadValue, inPlace, isObject, Omissions } from "@/server/features/imports/formats/values";
import { readElements, type XmlElement } from "@/server/features/imports/formats/xml-elements";

type Members = Readonly<Record<string, unknown>>;

const isTasks = (name: string): boolean => name === "" || /\.json$/i.test(name);
const isConfig = (name: string): boolean => /(^|\/)labeling-config\.xml$/i.test(name);
/** The control by which our own exports say classifications. */
const ownTags = "tag";

/** The members of a task's data that usually name its picture, in this order. */
const usualNames = ["image", "img", "picture", "photo", "url", "file"];
const isPicture = (value: unknown): value is string =>
  typeof value === "string" && /^\/data\/|^\w+:\/\/|\.(jpe?g|png|webp|bmp|gif|tiff?|avif)$/i.test(value);

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The path in an address of a picture: a file that Label Studio serves, one that was uploaded there, or one in a bucket. */
function toPath(address: string): string {
  const local = /\/data\/local-files\/?\?d=([^&#]*)/.exec(address)?.[1];
  if (local !== undefined) return decode(local);
  const isAddress = /^[a-z][\w+.-]*:\/\//i.test(address);
  const path = isAddress ? decode(address.replace(/^[^:]*:\/\/[^/]*\/?/, "").replace(/[?#].*$/, "")) : decode(address);
  // Uploaded files get a random beginning.
  return path.replace(/((?:^|\/)upload\/\d+\/)[0-9a-f]{8}-/, "$1");
}

function readPicture(data: Members): Pick<ReadPicture, "name" | "uid" | "uidEnd"> {
  const { uid, key } = data;
  if (typeof uid === "string" && isUuid(uid) && typeof key === "string")
    return { name: toPictureName(key), uid, uidEnd: null };
  const usual = usualNames.map((name) => data[name]).find((value) => typeof value === "string" && value !== "");
  const address = usual ?? Object.values(data).find(isPicture);
  if (typeof address !== "string") throw new BadValue("data names no picture.");
  const name = toPictureName(toPath(address));
  return { name, uid: null, uidEnd: findUidEnd(name) };
}

/** The annotation of a task that counts: the one that was declared true, else the last that was not cancelled. */
function choose(annotations: unknown, omissions: Omissions): { at: number; results: readonly unknown[] } | null {
  if (annotations === undefined || annotations === null) return null;
  if (!Array.isArray(annotations)) throw new BadValue("annotations are no list.");
  const there = annotations.flatMap((annotation: unknown, at) =>
    isObject(annotation) && annotation["was_cancelled"] !== true && Array.isArray(annotation["result"])
      ? [{ at, isTrue: annotation["ground_truth"] === true, results: annotation["result"] as readonly unknown[] }]
      : [],
  );
  const chosen = there.findLast(({ isTrue }) => isTrue) ?? there.at(-1) ?? null;
  if (there.length > 1) omissions.add("The task has another annotation; one is taken.", there.length - 1);
  return chosen;
}

async function readTask(value: unknown, place: string, options: ReadOptions): Promise<ReadPicture | null> {
  const omissions = new Omissions();
  const { picture, isOwn, chosen } = inPlace(
    () => place,
    () => {
      if (!isObject(value)) throw new BadValue("This is no task.");
      const { data, annotations, completions, predictions } = value;
      if (!isObject(data)) throw new BadValue("There is no data: this is no export of tasks, such as the format JSON.");
      if (Array.isArray(predictions)) omissions.add("A prediction of a model is no annotation.", predictions.length);
      const found = readPicture(data);
      return { picture: found, isOwn: found.uid !== null, chosen: choose(annotations ?? completions, omissions) };
    },
  );
  if (!chosen) return null;
  if (chosen.results.length > readLimits.annotations)
    throw new BadAnnotationFile(`${place} has more than ${readLimits.annotations} regions.`);
  const of = {
    isOwn,
    place: `${place}.annotations[${chosen.at}]`,
    getSize: async () => (await options.pictureSize?.(picture)) ?? null,
  };
  const { size, annotations } = await readRegions(chosen.results, of, omissions);
  return {
    ...picture,
    width: size?.width ?? null,
    height: size?.height ?? null,
    annotations,
    leftOut: omissions.list(),
  };
}

async function* readTasks(source: Source, options: ReadOptions): AsyncGenerator<ReadPicture> {
  for await (const { values } of readJson(source, ["$.*"]))
    for (const { list, value } of values) {
      if (typeof list !== "number")
        throw new BadAnnotationFile(`${inSource(source, "the document")} is no list of tasks of Label Studio.`);
      const picture = await readTask(value, inSource(source, `[${list}]`), options);
      if (picture) yield picture;
    }
}

const toMarkup = ({ name, attributes, children }: XmlElement): Markup => ({
  name,
  attributes: new Map(Object.entries(attributes)),
  children: children.map(toMarkup),
});

/** The labels of a configuration, without the question by which our own exports say classifications. */
async function readConfig(source: Source): Promise<ReadLabel[]> {
  for await (const [root] of readElements(source, (names) => names.length === 1)) {
    if (!root) break;
    const read = readLabelStudioLabels(toMarkup(root));
    if ("fault" in read) return [];
    const names = new Set(read.labels.map(({ name }) => name));
    return read.labels.filter(({ name, attributes = [] }) => {
      const options = attributes[0]?.options ?? [];
      return name !== ownTags || !options.every((option) => names.has(option));
    });
  }
  return [];
}

/** Tasks as Label Studio exports them in the format JSON, or an archive with them. */
export const labelStudio = {
  readLabels: async (file: AnnotationFile, options: ReadOptions): Promise<ReadLabel[]> => {
    const labels = new LabelList();
    for await (const source of readSources(file, isConfig))
      if (isConfig(source.name)) for (const label of await readConfig(source)) labels.add(label);
    for await (const picture of labelStudio.readPictures(file, options)) labels.use(picture.annotations);
    return labels.list();
  },
  async *readPictures(file: AnnotationFile, options: ReadOptions): AsyncGenerator<ReadPicture> {
    for await (const source of readSources(file, isTasks)) yield* readTasks(source, options);
  },
};
