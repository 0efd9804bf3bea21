import type { PictureSize, ReadAnnotation } from "@/server/features/imports/formats/annotation-file";
import type { CvatLabels } from "@/server/features/imports/formats/cvat-labels";
import {
  manyDetails,
  manyPoints,
  toBox,
  toKeypoints,
  toPolygon,
  toPolyline,
  toRowMask,
  toStableUid,
  type Made,
  type Point,
  type Visibility,
} from "@/server/features/imports/formats/shapes";
import {
  BadValue,
  inPlace,
  readAttributes,
  readName,
  readNumber,
  readWhole,
  type Omissions,
} from "@/server/features/imports/formats/values";
import type { XmlElement } from "@/server/features/imports/formats/xml-elements";

const maxSide = 100_000;
/** Characters of more points, or runs, than a shape may have. */
const maxPointsLength = 1024 * 1024;
const maxRunsLength = 16 * 1024 * 1024;

function readPoints(text: string | undefined): Point[] {
  if (text === undefined) throw new BadValue("The points are missing.");
  return text
    .split(";")
    .filter((pair) => pair.trim() !== "")
    .map((pair, at): Point => {
      const [x, y, ...others] = pair.split(",");
      if (others.length > 0) throw new BadValue(`Point ${at + 1} is no pair of numbers.`);
      return [readNumber(x, `x of point ${at + 1}`), readNumber(y, `y of point ${at + 1}`)];
    });
}

function readBox({ attributes: { xtl, ytl, xbr, ybr, rotation } }: XmlElement): Made {
  const [left, top] = [readNumber(xtl, "xtl"), readNumber(ytl, "ytl")];
  const [right, bottom] = [readNumber(xbr, "xbr"), readNumber(ybr, "ybr")];
  if (right < left || bottom < top) throw new BadValue("A box has a negative size.");
  return toBox(left, top, right - left, bottom - top, rotation === undefined ? 0 : readNumber(rotation, "rotation"));
}

function readMask({ attributes: { rle, left, top, width, height } }: XmlElement, size: PictureSize): Made {
  const box = {
    x: readWhole(left, "left", maxSide),
    y: readWhole(top, "top", maxSide),
    width: readWhole(width, "width", maxSide),
    height: readWhole(height, "height", maxSide),
  };
  if (rle !== undefined && rle.length > maxRunsLength) return manyDetails;
  const runs = (rle ?? "").split(",").map((run, at) => readWhole(run, `Run ${at + 1} of the mask`, maxSide * maxSide));
  return toRowMask(runs, box, size);
}

/** A skeleton, whose points are in the order of the label, those that are not there absent. */
function readSkeleton({ children }: XmlElement, named: readonly string[]): Made {
  const found = new Map(
    children
      .filter(({ name }) => name === "points")
      .map(({ attributes }): [string, { at: Point; seen: Visibility }] => {
        const name = readName(attributes["label"], "The label of a point");
        const [at] = readPoints(attributes["points"]);
        if (!at) throw new BadValue(`The point ${name} has no place.`);
        return [name, { at, seen: attributes["outside"] === "1" ? 0 : attributes["occluded"] === "1" ? 1 : 2 }];
      }),
  );
  const names = named.length > 0 ? named : [...found.keys()];
  const points = names.map((name) => found.get(name) ?? { at: [0, 0] satisfies Point, seen: 0 as const });
  return toKeypoints(
    points.map(({ at }): Point => [at[0], at[1]]),
    points.map(({ seen }) => seen),
  );
}

function readPlaces(element: XmlElement, size: PictureSize, points: readonly string[]): Made {
  if ((element.attributes["points"]?.length ?? 0) > maxPointsLength) return manyPoints;
  switch (element.name) {
    case "box":
      return readBox(element);
    case "polygon":
      return toPolygon(readPoints(element.attributes["points"]));
    case "polyline":
      return toPolyline(readPoints(element.attributes["points"]));
    case "points": {
      const places = readPoints(element.attributes["points"]);
      return toKeypoints(
        places,
        places.map(() => 2),
      );
    }
    case "skeleton":
      return readSkeleton(element, points);
    case "mask":
      return readMask(element, size);
    case "tag":
      return { type: "classification", coordinates: {} };
    default:
      return `There is no counterpart of ${element.name.slice(0, 40)}.`;
  }
}

function readOwnAttributes(element: XmlElement, label: string, labels: CvatLabels): Record<string, unknown> {
  const own = element.children.filter(({ name }) => name === "attribute");
  return readAttributes(
    Object.fromEntries(
      own.map(({ attributes, text }) => {
        const name = readName(attributes["name"], "The name of an attribute");
        return [name, labels.readAttribute(label, name, text)];
      }),
    ),
  );
}

/** The annotations in an element of a picture, from the bottom to the top. */
export function readShapes(
  picture: XmlElement,
  { name, size, labels }: { name: string; size: PictureSize; labels: CvatLabels },
  omissions: Omissions,
): ReadAnnotation[] {
  // An element that has none, such as a tag, stays behind the one before it.
  let place = 0;
  const layers = picture.children.flatMap((element): { place: number; read: ReadAnnotation }[] =>
    inPlace(
      () => `Line ${element.line}, ${element.name} of ${name}`,
      () => {
        const { z_order: order, group_id: group, occluded } = element.attributes;
        if (order !== undefined) place = readNumber(order, "z_order");
        const label = readName(element.attributes["label"], "The label");
        const made = readPlaces(element, size, labels.listPoints(label));
        if (typeof made === "string") {
          omissions.add(made);
          return [];
        }
        const attributes = {
          ...readOwnAttributes(element, label, labels),
          ...(occluded === "1" && { occluded: true }),
          ...(group !== undefined && group !== "0" && { group: toStableUid(name, group) }),
        };
        return [{ place, read: { label, ...made, attributes } }];
      },
    ),
  );
  return layers.toSorted((a, b) => a.place - b.place).map(({ read }) => read);
}
