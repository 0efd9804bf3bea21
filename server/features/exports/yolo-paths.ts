import type { SplitCounts, SplitPart } from "@/domain/exports/schema";
import type { SelectedDataset, SelectedItem } from "@/server/features/exports/selection-queries";
import { displayName } from "@/server/platform/storage/file-name";

/** File systems allow 255 bytes; the ends of two uids and an extension follow. */
const maxNameBytes = 200;

function cutBytes(text: string): string {
  let [cut, bytes] = ["", 0];
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxNameBytes) return cut;
    cut += character;
  }
  return cut;
}

/**
 * A folder's name that the trainer leaves alone: it looks for the labels of a picture where the last `/images/` of its
 * path becomes `/labels/`, on some systems in any case.
 */
const folderName = (part: string): string => {
  const name = displayName(cutBytes(part));
  return /^(images|labels)$/i.test(name) ? `${name}_` : name;
};

const uidEnd = (uid: string): string => uid.slice(-12);

/**
 * A picture's path below `images/` without extension: the part that it is in, if any, its dataset and the item's key, made
 * unique by the end of its uid, and of the project's where it is there for several.
 */
export function formatStem(
  { slug }: SelectedDataset,
  { key, uid }: SelectedItem,
  part: SplitPart | null,
  project: string | null,
): string {
  const folders = key.split("/").filter((each) => each !== "" && each !== "." && each !== "..");
  const last = cutBytes(displayName(folders.pop() ?? "item").replace(/\.[^.]+$/, ""));
  const unique = [last, uidEnd(uid), ...(project === null ? [] : [uidEnd(project)])].join("_");
  return [...(part === null ? [] : [part]), ...[slug, ...folders].map(folderName), unique].join("/");
}

/** The skeletons of an archive: how many points each has, and their names by the number of the class. */
export interface Skeletons {
  points: number;
  names: readonly [at: number, readonly string[]][];
}

/**
 * What says of skeletons how to read them: x, y and visibility of each point. Without `flip_idx`, which Muster does not
 * know, trainers mirror no picture.
 */
const describeSkeletons = ({ points, names }: Skeletons): string[] => [
  `kpt_shape: [${points}, 3]`,
  ...(names.length > 0 ? ["kpt_names:"] : []),
  ...names.map(([at, each]) => `  ${at}: ${JSON.stringify(each)}`),
];

/**
 * The description of an archive for training: where its pictures are, and its classes. It names no `path`, so that its
 * own folder is the root, wherever that is. Trainers need `train` and `val`: a part that is empty is another one.
 */
export function formatYaml(classes: readonly string[], split: SplitCounts, skeletons: Skeletons | null): string {
  const folder = (part: SplitPart) =>
    `images/${[part, "train", "val", "test"].find((each) => split[each as SplitPart] > 0) ?? part}`;
  const names = classes.map((name, at) => `  ${at}: ${JSON.stringify(name)}`);
  return [
    `train: ${folder("train")}`,
    `val: ${folder("val")}`,
    ...(split.test > 0 ? ["test: images/test"] : []),
    ...(skeletons ? describeSkeletons(skeletons) : []),
    `nc: ${classes.length}`,
    names.length > 0 ? "names:" : "names: []",
    ...names,
    "",
  ].join("\n");
}
