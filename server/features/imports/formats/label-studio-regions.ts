import { turnPoint } from "@/domain/annotations/rotated-box";
import { decodeBrush } from "@/domain/masks/brush-runs";
import type { PictureSize, ReadAnnotation } from "@/server/features/imports/formats/annotation-file";
import {
  checkMaskSize,
  manyDetails,
  toBox,
  toKeypoints,
  toPolygon,
  toRowMask,
  type Made,
  type Point,
} from "@/server/features/imports/formats/shapes";
import {
  BadValue,
  inPlace,
  isObject,
  readAttributes,
  readLength,
  readName,
  readNumber,
  readSize,
  readWhole,
  type Omissions,
} from "@/server/features/imports/formats/values";

type Members = Readonly<Record<string, unknown>>;

/** The results of one region: what it is, its labels, and what was answered about it. */
interface Region {
  at: number;
  shape: { kind: string; value: Members; size: PictureSize | null; isTurned: boolean } | null;
  labels: string[];
  answers: [question: string, answer: unknown][];
}

/** Of a brush; a run of a mask takes three or four. */
const maxBrushBytes = 8 * 1024 * 1024;

const areas: ReadonlySet<string> = new Set(["rectangle", "polygon", "keypoint", "brush"]);
/** Answers, and the member that holds them. */
const answers: ReadonlyMap<string, string> = new Map([
  ["choices", "choices"],
  ["textarea", "text"],
  ["rating", "rating"],
  ["number", "number"],
]);

/** Of a list with one entry that entry. */
const unwrap = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;

function readLabels(value: Members, member: string): string[] {
  const labels = value[member];
  return (Array.isArray(labels) ? labels : []).map((label) => readName(label, `A label of ${member}`));
}

function addResult(result: unknown, at: number, regions: Map<string, Region>, omissions: Omissions): void {
  if (!isObject(result)) throw new BadValue("This is no result.");
  const { id, type, value, from_name: question } = result;
  const kind = readName(type, "type");
  const shape = kind.replace(/labels$/, "");
  const answer = answers.get(kind);
  if (!areas.has(shape) && kind !== "labels" && answer === undefined) {
    omissions.add(`There is no counterpart of ${kind.slice(0, 40)}.`);
    return;
  }
  if (!isObject(value)) throw new BadValue("value is missing.");
  const key = typeof id === "string" ? id : `result ${at}`;
  const region = regions.get(key) ?? { at, shape: null, labels: [], answers: [] };
  regions.set(key, region);
  if (answer !== undefined) region.answers.push([readName(question, "from_name"), unwrap(value[answer])]);
  else if (kind.endsWith("labels")) region.labels.push(...readLabels(value, kind));
  if (areas.has(shape))
    region.shape = {
      kind: shape,
      value,
      size: readSize(result["original_width"], result["original_height"]),
      isTurned: typeof result["image_rotation"] === "number" && result["image_rotation"] !== 0,
    };
}

/** Of percent of the picture pixels. */
const toPoint = (x: unknown, y: unknown, { width, height }: PictureSize): Point => [
  (readNumber(x, "x") / 100) * width,
  (readNumber(y, "y") / 100) * height,
];

/** Label Studio turns boxes about their top left corner. */
function readRectangle({ x, y, width, height, rotation }: Members, size: PictureSize): Made {
  const [left, top] = toPoint(x, y, size);
  const across = (readLength(width, "width") / 100) * size.width;
  const down = (readLength(height, "height") / 100) * size.height;
  const degrees = rotation === undefined || rotation === null ? 0 : readNumber(rotation, "rotation");
  const [centerX, centerY] = turnPoint([left + across / 2, top + down / 2], [left, top], degrees);
  return degrees === 0
    ? toBox(left, top, across, down)
    : toBox(centerX - across / 2, centerY - down / 2, across, down, degrees);
}

function readBrush({ format, rle }: Members, size: PictureSize): Made {
  if (format !== "rle" || !Array.isArray(rle)) return "A brush without run lengths has no counterpart.";
  checkMaskSize(size);
  if (rle.length > maxBrushBytes) return manyDetails;
  const bytes = rle.map((byte, at) => readWhole(byte, `rle[${at}]`, 255));
  const runs = decodeBrush(bytes, size.width * size.height);
  if (!runs) throw new BadValue(`rle holds no picture of ${size.width} by ${size.height} pixels.`);
  return toRowMask(runs, { x: 0, y: 0, ...size }, size);
}

function readPlaces(kind: string, value: Members, size: PictureSize): Made {
  if (kind === "rectangle") return readRectangle(value, size);
  if (kind === "keypoint") return toKeypoints([toPoint(value["x"], value["y"], size)], [2]);
  if (kind === "brush") return readBrush(value, size);
  const { points } = value;
  if (!Array.isArray(points)) throw new BadValue("points are missing.");
  return toPolygon(
    points.map((point: unknown): Point => {
      const [x, y]: readonly unknown[] = Array.isArray(point) ? point : [];
      return toPoint(x, y, size);
    }),
  );
}

/** What was answered about the picture: in our own exports a label, in others a question with its answer. */
function toTags({ answers: given }: Region, isOwn: boolean): ReadAnnotation[] {
  return given.flatMap(([question, answer]) => {
    if (!isOwn)
      return [
        { label: question, type: "classification", coordinates: {}, attributes: { [question]: answer } } as const,
      ];
    const labels: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
    return labels.map((label) => ({
      label: readName(label, "A choice"),
      type: "classification" as const,
      coordinates: {},
      attributes: {},
    }));
  });
}

function toAnnotations(
  region: Region,
  size: PictureSize | null,
  isOwn: boolean,
  omissions: Omissions,
): ReadAnnotation[] {
  const { shape, labels, answers: given } = region;
  if (!shape) {
    if (given.length === 0) omissions.add("A label has no region.");
    return toTags(region, isOwn);
  }
  const [label, ...others] = labels;
  const own = shape.size ?? size;
  if (others.length > 0) omissions.add("A region has a further label.", others.length);
  const reason =
    label === undefined
      ? "A region has no label."
      : shape.isTurned
        ? "The picture was turned in Label Studio."
        : own
          ? null
          : "The size of the picture is not known, and the file says percent of it.";
  if (reason !== null || label === undefined || !own) {
    omissions.add(reason ?? "A region has no label.");
    return [];
  }
  const made = readPlaces(shape.kind, shape.value, own);
  if (typeof made !== "string") return [{ label, ...made, attributes: readAttributes(Object.fromEntries(given)) }];
  omissions.add(made);
  return [];
}

/** The size of the picture as far as its regions say it. */
interface Regions {
  size: PictureSize | null;
  annotations: ReadAnnotation[];
}

/** The annotations of the results of one annotation of a task. `getSize`: what is otherwise known of the picture. */
export async function readRegions(
  results: readonly unknown[],
  { isOwn, place, getSize }: { isOwn: boolean; place: string; getSize: () => Promise<PictureSize | null> },
  omissions: Omissions,
): Promise<Regions> {
  const regions = new Map<string, Region>();
  for (const [at, result] of results.entries())
    inPlace(
      () => `${place}.result[${at}]`,
      () => addResult(result, at, regions, omissions),
    );
  const said = [...regions.values()].find(({ shape }) => shape?.size)?.shape?.size ?? null;
  const isNeeded = [...regions.values()].some(({ shape }) => shape && !shape.size);
  const size = said ?? (isNeeded ? await getSize() : null);
  const annotations = [...regions.values()].flatMap((region) =>
    inPlace(
      () => `${place}.result[${region.at}]`,
      () => toAnnotations(region, size, isOwn, omissions),
    ),
  );
  return { size: said, annotations };
}
