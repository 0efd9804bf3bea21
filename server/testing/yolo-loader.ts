import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";

const DataYaml = z.object({
  path: z.string().optional(),
  train: z.string(),
  val: z.string(),
  test: z.string().optional(),
  nc: z.int(),
  names: z.union([z.array(z.string()), z.record(z.string(), z.string())]),
  kpt_shape: z.tuple([z.int().min(1), z.union([z.literal(2), z.literal(3)])]).optional(),
});
type DataYaml = z.output<typeof DataYaml>;

/** The task that a model is trained for, which the trainer knows from the model. */
export type YoloTask = "detect" | "segment" | "pose" | "obb";

const pictureEndings = ["bmp", "dng", "jpeg", "jpg", "mpo", "png", "tif", "tiff", "webp"];

/** What a trainer sees of one picture. */
interface LoadedPicture {
  /** Relative to the folder of data.yaml. */
  file: string;
  labelFile: string;
  /** The numbers of each line; null where the label file is missing, which trainers take for none. */
  objects: number[][] | null;
}

export interface LoadedSet {
  names: string[];
  train: LoadedPicture[];
  val: LoadedPicture[];
  /** Null where data.yaml names none. */
  test: LoadedPicture[] | null;
}

/** Files below a folder as `glob("**\/*.*")` of Python finds them: none whose path has a part that begins with a dot. */
function glob(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith("."))
    .flatMap((entry) =>
      entry.isDirectory()
        ? glob(path.join(folder, entry.name))
        : entry.name.includes(".")
          ? [path.join(folder, entry.name)]
          : [],
    );
}

/** Where the trainer looks for labels: the last `/images/` of the path becomes `/labels/`, the ending `.txt`. */
function labelPath(picture: string): string {
  const at = picture.lastIndexOf("/images/");
  const moved = at < 0 ? picture : `${picture.slice(0, at)}/labels/${picture.slice(at + "/images/".length)}`;
  return `${moved.slice(0, moved.lastIndexOf("."))}.txt`;
}

/** How many numbers follow the class, by task; a segment has at least three points. */
function checkColumns(task: YoloTask, count: number, { kpt_shape }: DataYaml): string | null {
  if (task === "segment") return count >= 6 && count % 2 === 0 ? null : "segments have three points or more";
  if (task === "pose") {
    const [points, numbers] = kpt_shape ?? [0, 0];
    return count === 4 + points * numbers && points > 0 ? null : `labels require ${5 + points * numbers} columns`;
  }
  const expected = task === "obb" ? 8 : 4;
  return count === expected ? null : `labels require ${expected + 1} columns`;
}

/** The lines of a label file, checked as the trainer checks them. Throws for a picture that it would leave out. */
function readLabels(file: string, yaml: DataYaml, task: YoloTask): number[][] | null {
  if (!existsSync(file)) return null;
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => {
    const numbers = line.split(/\s+/).map(Number);
    const [name = -1, ...columns] = numbers;
    const fault = checkColumns(task, columns.length, yaml);
    if (fault !== null) throw new Error(`${file}: ${fault}`);
    // Every third number of a skeleton with visibilities is one, from 0 to 2.
    const isSeen = (at: number) => task === "pose" && yaml.kpt_shape?.[1] === 3 && at >= 4 && (at - 4) % 3 === 2;
    if (!columns.every((value, at) => value >= 0 && value <= (isSeen(at) ? 2 : 1)))
      throw new Error(`${file}: non-normalized coordinates ${line}`);
    if (!Number.isInteger(name) || name < 0 || name >= yaml.nc) throw new Error(`${file}: class ${name} of ${yaml.nc}`);
    return numbers;
  });
}

/**
 * Reads a training set from disk as Ultralytics' loader does for a task by its published rules (`check_det_dataset`,
 * `img2label_paths`, `verify_image_label`). Written for tests only, and without the code that makes archives.
 */
export function loadTrainingSet(yamlFile: string, task: YoloTask = "detect"): LoadedSet {
  const yaml = DataYaml.parse(parse(readFileSync(yamlFile, "utf8")));
  const names = Object.values(yaml.names);
  if (names.length !== yaml.nc) throw new Error(`names has ${names.length} classes, nc is ${yaml.nc}`);
  // A relative path that exists is one of the folder in which the trainer was started.
  const root = yaml.path === undefined ? path.dirname(yamlFile) : path.resolve(yaml.path);
  const load = (folder: string) => {
    const files = glob(path.resolve(root, folder)).filter((file) =>
      pictureEndings.includes(path.extname(file).slice(1).toLowerCase()),
    );
    if (files.length === 0) throw new Error(`no images found in ${folder}`);
    return files.toSorted().map((file) => ({
      file: path.relative(root, file),
      labelFile: path.relative(root, labelPath(file)),
      objects: readLabels(labelPath(file), yaml, task),
    }));
  };
  return {
    names,
    train: load(yaml.train),
    val: load(yaml.val),
    test: yaml.test === undefined ? null : load(yaml.test),
  };
}
