import { afterAll, describe, expect, test } from "vitest";
import { listCorners } from "@/domain/annotations/rotated-box";
import type { YoloFormat } from "@/domain/exports/formats";
import { toRuns } from "@/domain/masks/fill";
import { toCoordinates } from "@/domain/masks/mask-figure";
import { cropRuns, encodePixels } from "@/domain/masks/run-lengths";
import { completeLabels } from "@/domain/projects/label-schema";
import { Annotation } from "@/domain/tasks/schema";
import { numberClasses } from "@/server/features/exports/class-numbers";
import { composeCoco, listCategories } from "@/server/features/exports/coco-annotations";
import { listLabels } from "@/server/features/exports/cvat-labels";
import { composeCvat } from "@/server/features/exports/cvat-shapes";
import { composeRegions, formatConfig } from "@/server/features/exports/label-studio-results";
import { element } from "@/server/features/exports/markup";
import { finish } from "@/server/features/exports/steps";
import { Tally } from "@/server/features/exports/tally";
import { formatLabels } from "@/server/features/exports/yolo-labels";
import { formatYaml } from "@/server/features/exports/yolo-paths";
import type { ReadAnnotation } from "@/server/features/imports/formats/annotation-file";
import { AnnotationFiles } from "@/server/testing/annotation-files";

/** What the writers of exports make is read back: random annotations of every type, the same in every run. */

const files = new AnnotationFiles();
afterAll(() => {
  expect(files.listLeftovers()).toEqual([]);
  files.remove();
});

const size = { width: 96, height: 60 };
const points = ["head", "hand", "foot"];
const labels = completeLabels([
  { name: "car <big>", color: "#112233", number: 0 },
  { name: "person", color: "#445566", number: 2, points, edges: [[0, 1]] },
]);
const classes = numberClasses([labels], []);
const uid = "0198c0de-0000-7000-8000-0123456789ab";

let state = 5;
/** From 0 to 1. */
function random(): number {
  state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return state / 2 ** 32;
}
const between = (from: number, to: number): number => from + random() * (to - from);
const repeat = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const make = (type: string, coordinates: object, label = "car <big>"): Annotation =>
  Annotation.parse({ label, type, coordinates, attributes: { occluded: true, colour: "r&d" } });

/** A ring around a place, clockwise, with its points at angles that grow. */
function makeRing([x, y]: [number, number], from: number, to: number): [number, number][] {
  const count = 3 + Math.floor(random() * 6);
  return Array.from({ length: count }, (_, at) => {
    const [angle, radius] = [(2 * Math.PI * (at + random() * 0.9)) / count, between(from, to)];
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}

const makeBox = () =>
  make("bbox", { x: between(0, 60), y: between(0, 40), width: between(1, 30), height: between(1, 19) });
const makeTurnedBox = () =>
  make("bbox", {
    x: between(20, 40),
    y: between(15, 25),
    width: between(4, 20),
    height: between(4, 20),
    rotation: between(1, 359),
  });
const makePolygon = () => make("polygon", { points: makeRing([48, 30], 5, 28) });
const makeHoledPolygon = () =>
  make("polygon", { points: makeRing([48, 30], 25, 29), holes: [makeRing([44, 30], 1, 3).toReversed()] });
const makeLine = () => make("polyline", { points: repeat(4, () => [between(0, 96), between(0, 60)]) });
const makeSkeleton = () =>
  make(
    "keypoints",
    {
      points: repeat(3, () => [between(1, 95), between(1, 59)]),
      visibility: [2, random() < 0.5 ? 1 : 2, random() < 0.5 ? 0 : 2],
    },
    "person",
  );
function makeMask(): Annotation {
  const share = random();
  const pixels = Uint8Array.from({ length: size.width * size.height }, (_, at) =>
    at % 96 > 10 && at % 96 < 50 && random() < share ? 1 : at === 3_000 ? 1 : 0,
  );
  const cropped = cropRuns(encodePixels(pixels, size.width, size.height), size.height);
  return make("mask", toCoordinates(cropped?.box ?? { x: 0, y: 0, ...size }, cropped?.runs ?? [], size));
}
const makeTag = () => make("classification", {});
const makers = [makeBox, makeTurnedBox, makePolygon, makeHoledPolygon, makeLine, makeSkeleton, makeMask, makeTag];
const makeAll = (some = makers): Annotation[] => repeat(12, () => some.map((each) => each())).flat();

/** As far as it is compared: points without a place have none. */
function normalize({ label, type, coordinates, attributes }: Annotation | ReadAnnotation) {
  if (type !== "keypoints") return { label, type, coordinates, attributes };
  const { points: all, visibility = all.map(() => 2) } = coordinates;
  const places = all.map((point, at) => (visibility[at] === 0 ? [0, 0] : point));
  return { label, type, coordinates: { points: places, visibility }, attributes };
}

/** Compares numbers by a tolerance, and everything else exactly. */
function expectClose(actual: unknown, expected: unknown, tolerance: number): void {
  const close = (value: unknown): unknown =>
    typeof value === "number"
      ? expect.toSatisfy(
          (other: unknown) => typeof other === "number" && Math.abs(other - value) <= tolerance,
          `${value}`,
        )
      : Array.isArray(value)
        ? value.map(close)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, close(each)]))
          : value;
  expect(actual).toEqual(close(expected));
}

const toMask = ({ coordinates, ...rest }: Extract<Annotation, { type: "polygon" }>): Annotation => {
  const found = toRuns([coordinates.points, ...(coordinates.holes ?? [])], size);
  return {
    ...rest,
    type: "mask",
    coordinates: toCoordinates(found?.box ?? { x: 0, y: 0, ...size }, found?.runs ?? [], size),
  };
};

const without = (annotation: Annotation): Annotation => ({ ...annotation, attributes: {} });

describe("what exports write is read back", () => {
  test("from COCO: turned boxes as polygons, holes as masks, lines and classifications dropped", async () => {
    const all = makeAll();
    const content = finish(composeCoco(all, size, classes, new Tally(classes))).make();
    const document = {
      categories: listCategories(classes),
      images: [{ id: 7, ...size, file_name: "a/b.png", uid }],
      annotations: content.map((each, at) => ({ id: at + 1, image_id: 7, ...each })),
    };
    const [picture, ...others] = await files.read(files.write(JSON.stringify(document)), "COCO");
    expect(others).toEqual([]);
    expect(picture).toMatchObject({ name: "a/b.png", uid, ...size, leftOut: [] });
    const expected = all.flatMap((each): Annotation[] => {
      if (each.type === "polyline" || each.type === "classification") return [];
      if (each.type === "polygon" && each.coordinates.holes) return [toMask(each)];
      if (each.type !== "bbox" || each.coordinates.rotation === undefined) return [each];
      return [{ ...each, type: "polygon", coordinates: { points: listCorners(each.coordinates) } }];
    });
    expectClose(picture?.annotations.map(normalize), expected.map(normalize), 1e-4);
    expect(await files.readLabels(files.write(JSON.stringify(document)), "COCO")).toEqual([
      { name: "car <big>" },
      { name: "person", points, edges: [[0, 1]] },
    ]);
  });

  test("from CVAT: holes as masks", async () => {
    const all = makeAll();
    const seen = new Map<string, Set<string>>();
    const content = finish(composeCvat(all, size, classes, new Tally(classes), seen)).make();
    const image = element("image", { id: 0, name: "d/e_0123456789ab.png", ...size }, content);
    const head = element("meta", {}, element("task", {}, listLabels(classes, seen)));
    const text = `<?xml version="1.0" encoding="utf-8"?>\n${element("annotations", {}, `${head}${image}`)}`;
    const zipped = files.zip([
      { path: "images/d/e_0123456789ab.png", bytes: "" },
      { path: "annotations.xml", bytes: text },
    ]);
    for (const file of [files.write(text), zipped]) {
      const [picture, ...others] = await files.read(file, "CVAT");
      expect(others).toEqual([]);
      expect(picture).toMatchObject({ uid: null, uidEnd: "0123456789ab", ...size, leftOut: [] });
      const expected = all.map((each) => (each.type === "polygon" && each.coordinates.holes ? toMask(each) : each));
      // A tag and a skeleton are not occluded in CVAT.
      const isNever = ({ type }: Annotation) => type === "classification" || type === "keypoints";
      const known = expected.map((each) => (isNever(each) ? { ...each, attributes: { colour: "r&d" } } : each));
      expectClose(picture?.annotations.map(normalize), known.map(normalize), 1e-4);
    }
    const found = await files.readLabels(zipped, "CVAT");
    expect(found).toMatchObject([
      { name: "car <big>", color: "#112233", types: [] },
      { name: "person", points, edges: [[0, 1]] },
    ]);
  });

  test("from Label Studio: holes as masks, points of their own, lines dropped, no attributes", async () => {
    const all = makeAll();
    const result = finish(composeRegions(all, size, classes, new Tally(classes), uid)).make();
    const tasks = [
      { data: { image: "/data/local-files/?d=images%2Fx.png", key: "a/b.png", uid }, annotations: [{ result }] },
    ];
    const file = files.zip([
      { path: "labeling-config.xml", bytes: formatConfig(classes) },
      { path: "tasks.json", bytes: JSON.stringify(tasks) },
    ]);
    const [picture] = await files.read(file, "LabelStudio");
    expect(picture).toMatchObject({ name: "a/b.png", uid, ...size, leftOut: [] });
    const expected = all.flatMap((each): Annotation[] => {
      if (each.type === "polyline") return [];
      if (each.type === "polygon" && each.coordinates.holes) return [toMask(each)];
      if (each.type !== "keypoints") return [each];
      return each.coordinates.points.flatMap((point, at): Annotation[] =>
        each.coordinates.visibility?.[at] === 0 ? [] : [{ ...each, coordinates: { points: [point] } }],
      );
    });
    expectClose(picture?.annotations.map(normalize), expected.map(without).map(normalize), 1e-6);
    expect((await files.readLabels(file, "LabelStudio")).map(({ name }) => name)).toEqual(["car <big>", "person"]);
  });

  test("from our own document: everything", async () => {
    const all = [
      ...makeAll(),
      make("cuboid", { center: [1, 2, 3], size: [1, 1, 1], rotation: [0, 0, 0, 1], frame: 4 }),
    ];
    const document = {
      scheme_version: "1.0",
      export_info: { name: "x" },
      datasets: [{ uid, name: "d", items: [{ uid, ref_id: "a/b.png", metadata: size }] }],
      projects: [{ uid, name: "p", labels: [], label_schema: labels }],
      results: [1, 2].map(() => ({ uid, dataset_item_uid: uid, project_uid: uid, annotations: all })),
    };
    const file = files.write(JSON.stringify(document));
    const picture = { name: "a/b.png", uid, uidEnd: null, ...size, annotations: all, leftOut: [] };
    expect(await files.read(file, "avala-json-external")).toEqual([picture, picture]);
    expect(await files.readLabels(file, "avala-json-external")).toMatchObject([
      { name: "car <big>", color: "#112233" },
      { name: "person", points },
    ]);
  });
});

/** An archive as `yolo train` reads it, with one picture. */
function zipYolo(format: YoloFormat, annotations: readonly Annotation[]) {
  const outline = { classes, split: null, points: format === "YOLO-pose" ? 3 : null, background: false };
  const content = finish(formatLabels(annotations, size, format, outline, new Tally(classes))).make();
  const skeletons = format === "YOLO-pose" ? { points: 3, names: [[2, points]] as [number, string[]][] } : null;
  return files.zip([
    { path: "images/train/d/a_0123456789ab.png", bytes: "" },
    { path: "labels/train/d/a_0123456789ab.txt", bytes: content },
    { path: "data.yaml", bytes: formatYaml(classes.names, { by: "item", train: 1, val: 0, test: 0 }, skeletons) },
  ]);
}

describe("six digits of a share are read back to a ten thousandth of a pixel", () => {
  const within = 1e-6 * size.width;

  test.each<[YoloFormat, (() => Annotation)[]]>([
    ["YOLO", [makeBox]],
    ["YOLO-segment", [makePolygon]],
    ["YOLO-segment", [makePolygon, makeHoledPolygon]],
    ["YOLO-pose", [makeSkeleton]],
    ["YOLO-OBB", [makeBox]],
  ])("from %s of %s", async (format, some) => {
    const all = makeAll(some).map(without);
    const [picture] = await files.read(zipYolo(format, all), "YOLO", size);
    expect(picture).toMatchObject({ name: "train/d/a_0123456789ab.png", uidEnd: "0123456789ab", leftOut: [] });
    expectClose(picture?.annotations.map(normalize), all.map(normalize), within);
  });

  test("from YOLO-OBB turned boxes, whose corners are where they were", async () => {
    const all = makeAll([makeTurnedBox]);
    const [picture] = await files.read(zipYolo("YOLO-OBB", all), "YOLO", size);
    const corners = (each: Annotation | ReadAnnotation) =>
      each.type === "bbox" ? listCorners(each.coordinates) : each.type;
    expectClose(picture?.annotations.map(corners), all.map(corners), 2 * within);
    expect(picture?.annotations.every((each) => each.type === "bbox" && each.coordinates.rotation !== undefined)).toBe(
      true,
    );
  });

  test("from YOLO-pose a box of its own, in one group with its points; from detection the bounds of what has an area", async () => {
    const group = "0198c0de-0000-7000-8000-000000000001";
    const skeleton = { ...makeSkeleton(), attributes: { group } };
    const box = { ...make("bbox", { x: 0, y: 0, width: 96, height: 60 }, "person"), attributes: { group } };
    const [pair] = await files.read(zipYolo("YOLO-pose", [skeleton, box]), "YOLO", size);
    const [first, second] = pair?.annotations ?? [];
    expectClose(
      [first, second].map((each) => each && normalize(without(each))),
      [skeleton, box].map(without).map(normalize),
      within,
    );
    expect([typeof first?.attributes["group"], first?.attributes]).toEqual(["string", second?.attributes]);
    const [bounds] = await files.read(zipYolo("YOLO", [makeMask()]), "YOLO", size);
    expect(bounds?.annotations.map(({ type }) => type)).toEqual(["bbox"]);
  });

  test("labels have the points that data.yaml names", async () => {
    expect(await files.readLabels(zipYolo("YOLO-pose", []), "YOLO")).toMatchObject([
      { name: "car <big>" },
      { name: "class 1" },
      { name: "person", points, types: ["keypoints"] },
    ]);
  });
});
