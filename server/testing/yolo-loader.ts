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
});

const pictureEndings = ["bmp", "dng", "jpeg", "jpg", "mpo", "png", "tif", "tiff", "webp"];

/** What a trainer sees of one picture. */
interface LoadedPicture {
  /** Relative to the folder of data.yaml. */
  file: string;
  labelFile: string;
  /** Class, x, y, width and height of each object; null where the label file is missing, which trainers take for none. */
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

/** The lines of a label file, checked as the trainer checks them. Throws for a picture that it would leave out. */
function readLabels(file: string, classes: number): number[][] | null {
  if (!existsSync(file)) return null;
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => {
    const numbers = line.split(/\s+/).map(Number);
    const [name = -1, ...box] = numbers;
    if (box.length !== 4) throw new Error(`${file}: labels require 5 columns`);
    if (!box.every((value) => value >= 0 && value <= 1)) throw new Error(`${file}: non-normalized coordinates ${line}`);
    if (!Number.isInteger(name) || name < 0 || name >= classes) throw new Error(`${file}: class ${name} of ${classes}`);
    return numbers;
  });
}

/**
 * Reads a training set from disk as Ultralytics' loader does by its published rules (`check_det_dataset`,
 * `img2label_paths`, `verify_image_label`). Written for tests only, and without the code that makes archives.
 */
export function loadTrainingSet(yamlFile: string): LoadedSet {
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
      objects: readLabels(labelPath(file), names.length),
    }));
  };
  return {
    names,
    train: load(yaml.train),
    val: load(yaml.val),
    test: yaml.test === undefined ? null : load(yaml.test),
  };
}
