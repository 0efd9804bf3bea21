import type { Point } from "@/domain/annotations/geometry";
import { listCorners } from "@/domain/annotations/rotated-box";
import type { ExportLoss } from "@/domain/exports/schema";
import { encodeBrush } from "@/domain/masks/brush-runs";
import { toRuns } from "@/domain/masks/fill";
import { toRowRuns } from "@/domain/masks/row-runs";
import type { Area } from "@/domain/masks/run-lengths";
import type { Annotation } from "@/domain/tasks/schema";
import type { Classes } from "@/server/features/exports/class-numbers";
import { element } from "@/server/features/exports/markup";
import type { Composed } from "@/server/features/exports/pictures";
import {
  boundAnnotation,
  clipBounds,
  hasAttributes,
  hasHoles,
  listKeypoints,
  readRuns,
  toDrop,
  type Size,
} from "@/server/features/exports/shapes";
import type { Steps } from "@/server/features/exports/steps";
import type { Tally } from "@/server/features/exports/tally";

/** The controls of the labeling configuration, by the type of the regions that they make. */
const controls = {
  rectanglelabels: { tag: "RectangleLabels", name: "box", option: "Label", more: { canRotate: "true" } },
  polygonlabels: { tag: "PolygonLabels", name: "polygon", option: "Label", more: {} },
  brushlabels: { tag: "BrushLabels", name: "mask", option: "Label", more: {} },
  keypointlabels: { tag: "KeyPointLabels", name: "point", option: "Label", more: {} },
  choices: { tag: "Choices", name: "tag", option: "Choice", more: { choice: "multiple" } },
} as const;
type RegionType = keyof typeof controls;
const picture = "image";

/** The width of a point in percent. */
const pointWidth = 0.5;

/** What a region of Label Studio says of a shape, beside its label; lengths in percent of the picture. */
interface Region {
  type: RegionType;
  value: Record<string, unknown>;
}

/** The regions of an annotation, and what is lost in them. */
interface Regions {
  make: () => Region[];
  losses: readonly ExportLoss[];
}

const toPercent = ([x, y]: Point, { width, height }: Size): Point => [(x / width) * 100, (y / height) * 100];

const noArea: Area = { x: 0, y: 0, width: 0, height: 0 };

/** A brush has every pixel of the picture. */
const toBrush = (runs: readonly number[], box: Area, size: Size): Region => ({
  type: "brushlabels",
  value: { format: "rle", rle: encodeBrush(toRowRuns(runs, box, size)) },
});

/** Label Studio turns boxes about their top left corner. */
function toRectangle(box: Extract<Annotation, { type: "bbox" }>["coordinates"], size: Size): Region {
  const [corner] = listCorners(box);
  const [x, y] = toPercent(corner, size);
  const [width, height] = toPercent([box.width, box.height], size);
  return { type: "rectanglelabels", value: { x, y, width, height, rotation: box.rotation ?? 0 } };
}

function toArea(annotation: Extract<Annotation, { type: "bbox" | "polygon" | "mask" }>, size: Size): Regions {
  switch (annotation.type) {
    case "bbox":
      return { make: () => [toRectangle(annotation.coordinates, size)], losses: [] };
    case "polygon": {
      const { points, holes = [] } = annotation.coordinates;
      if (hasHoles(annotation.coordinates)) {
        const make = () => {
          const { runs, box } = toRuns([points, ...holes], size) ?? { runs: [], box: noArea };
          return [toBrush(runs, box, size)];
        };
        return { make, losses: ["holes_to_mask"] };
      }
      const make = (): Region[] => {
        const value = { points: points.map((point) => toPercent(point, size)), closed: true };
        return [{ type: "polygonlabels", value }];
      };
      return { make, losses: [] };
    }
    case "mask": {
      const [x, y, width, height] = annotation.coordinates.box;
      const make = () => [toBrush(readRuns(annotation.coordinates), { x, y, width, height }, size)];
      return { make, losses: [] };
    }
  }
}

/** Points are regions of their own in Label Studio, which does not know whether they are hidden. */
function toPoints({ coordinates }: Extract<Annotation, { type: "keypoints" }>, size: Size): Regions {
  const there = listKeypoints(coordinates).filter(({ seen }) => seen > 0);
  const make = () =>
    there.map(({ at }): Region => {
      const [x, y] = toPercent(at, size);
      return { type: "keypointlabels", value: { x, y, width: pointWidth } };
    });
  const isPlain = there.length === coordinates.points.length && there.every(({ seen }) => seen === 2);
  return {
    make,
    losses: [
      ...(coordinates.points.length > 1 ? (["keypoints_parted"] as const) : []),
      ...(isPlain ? [] : (["visibility_dropped"] as const)),
    ],
  };
}

function toRegions(annotation: Annotation, size: Size): Regions | ExportLoss {
  switch (annotation.type) {
    case "classification":
      return { make: () => [{ type: "choices", value: {} }], losses: [] };
    case "keypoints":
      return toPoints(annotation, size);
    case "bbox":
    case "polygon":
    case "mask": {
      const bounds = boundAnnotation(annotation);
      return bounds && clipBounds(bounds, size) ? toArea(annotation, size) : "outside_dropped";
    }
    default:
      return toDrop(annotation.type);
  }
}

/** The regions of a result as members of `result`; counts them, and what Label Studio lacks. */
export function* composeRegions(
  annotations: readonly Annotation[],
  size: Size,
  { names, numbers }: Classes,
  tally: Tally,
  ofResult: string,
): Steps<Composed<object[]>> {
  const held: { label: string; make: () => Region[] }[] = [];
  for (const annotation of annotations) {
    yield;
    const made = toRegions(annotation, size);
    if (typeof made === "string") {
      tally.lose(made);
      continue;
    }
    tally.addAnnotations(annotation.label);
    for (const loss of made.losses) tally.lose(loss);
    if (hasAttributes(annotation)) tally.lose("attributes_dropped");
    const label = names[numbers.get(annotation.label) ?? -1] ?? annotation.label;
    held.push({ label, make: made.make });
  }
  const describe = (label: string, { type, value }: Region, at: number): object => ({
    id: `${ofResult.slice(-12)}-${at}`,
    type,
    from_name: controls[type].name,
    to_name: picture,
    ...(type !== "choices" && { original_width: size.width, original_height: size.height, image_rotation: 0 }),
    value: { ...value, [type]: [label] },
  });
  const make = () =>
    held
      .flatMap((each) => each.make().map((region) => ({ label: each.label, region })))
      .map(({ label, region }, at) => describe(label, region, at));
  return { make, shapes: held.length };
}

/** The labeling configuration: a control for each type of region, with all classes. */
export function formatConfig({ names, numbers, labels }: Classes): string {
  const classes = names.flatMap((name, at) => (numbers.get(name) === at ? [{ name, label: labels.get(at) }] : []));
  const lines = Object.values(controls).map(({ tag, name, option, more }) => {
    const options = classes.map((each) => {
      const background = option === "Label" ? (each.label?.color ?? "#0891b2") : undefined;
      return `\n    ${element(option, { value: each.name, background })}`;
    });
    return `  ${element(tag, { name, toName: picture, ...more }, `${options.join("")}\n  `)}\n`;
  });
  return `${element("View", {}, `\n  ${element("Image", { name: picture, value: `$${picture}` })}\n${lines.join("")}`)}\n`;
}
