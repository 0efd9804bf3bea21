import { describe, expect, test } from "vitest";
import { encodePixels, formatRuns } from "@/domain/masks/run-lengths";
import { completeLabels } from "@/domain/projects/label-schema";
import { Annotation } from "@/domain/tasks/schema";
import { numberClasses } from "@/server/features/exports/class-numbers";
import { listLabels } from "@/server/features/exports/cvat-labels";
import { composeCvat, type SeenAttributes } from "@/server/features/exports/cvat-shapes";
import { finish } from "@/server/features/exports/steps";
import { Tally } from "@/server/features/exports/tally";
import { findAll, readXml } from "@/server/testing/xml-reader";

const size = { width: 64, height: 48 };
const skeleton = {
  points: ["head", 'left "hand"', "foot"],
  edges: [
    [0, 1],
    [0, 2],
  ],
};
const kind = { key: "kind", kind: "select", options: ["a", "b<c"], default: "a" };
const labels = completeLabels([
  { name: "person", color: "#112233", ...skeleton, attributes: [kind, { key: "hidden", kind: "boolean" }] },
  { name: "lorry", color: "#445566", aliases: ["car"] },
]);
const classes = numberClasses([labels], []);

const annotate = (type: string, coordinates: object, attributes: object = {}, label = "car") =>
  Annotation.parse({ label, type, coordinates, attributes });

/** The elements of a picture, and what is lost. */
function compose(...annotations: readonly Annotation[]) {
  const tally = new Tally(classes);
  const seen: SeenAttributes = new Map();
  const content = finish(composeCvat(annotations, size, classes, tally, seen)).make();
  const losses = Object.fromEntries(tally.toContents().losses.map(({ what, count }) => [what, count]));
  return { shapes: readXml(`<image>${content}</image>`).children, losses, seen };
}

const square = [
  [10, 10],
  [14, 10],
  [14, 13],
  [10, 13],
];
const points = [
  [8, 8],
  [20, 30],
  [30.123456, 12],
];

describe("an element of CVAT", () => {
  test("of a box has its corners before it is turned, and CVAT's own members of its attributes", () => {
    const attributes = { id: "x", occluded: true, order: 3, source: "model", group: "g", note: 'a "b" <&\n' };
    const { shapes } = compose(annotate("bbox", { x: 1, y: 2.00004, width: 10, height: 20, rotation: 30 }, attributes));
    expect(shapes).toEqual([
      {
        name: "box",
        attributes: {
          label: "lorry",
          source: "auto",
          occluded: "1",
          xtl: "1",
          ytl: "2",
          xbr: "11",
          ybr: "22",
          rotation: "30",
          z_order: "0",
          group_id: "1",
        },
        children: [{ name: "attribute", attributes: { name: "note" }, children: [], text: 'a "b" <&\n' }],
        text: "",
      },
    ]);
  });

  test("of polygons and lines has their points, and of a classification none", () => {
    const { shapes, losses } = compose(
      annotate("polygon", { points: square }),
      annotate("polyline", { points }),
      annotate("classification", {}, { weather: "rain" }),
    );
    expect(shapes.map(({ name, attributes }) => [name, attributes.points])).toEqual([
      ["polygon", "10,10;14,10;14,13;10,13"],
      ["polyline", "8,8;20,30;30.1235,12"],
      ["tag", undefined],
    ]);
    expect([shapes[2]?.attributes, losses]).toEqual([{ label: "lorry", source: "manual" }, {}]);
  });

  test("of a mask has runs of its box row by row, and so has a polygon with holes, which is said", () => {
    const pixels = Uint8Array.from([1, 0, 0, 1, 1, 1]);
    const mask = { size: [48, 64], box: [20, 30, 3, 2], counts: formatRuns(encodePixels(pixels, 3, 2)) };
    const hole = [
      [11, 11],
      [12, 11],
      [12, 12],
      [11, 12],
    ];
    const { shapes, losses } = compose(annotate("mask", mask), annotate("polygon", { points: square, holes: [hole] }));
    const [one, other] = shapes.map(({ attributes: { rle, left, top, width, height } }) => [
      rle,
      left,
      top,
      width,
      height,
    ]);
    expect(one).toEqual(["0, 1, 2, 3", "20", "30", "3", "2"]);
    expect(other).toEqual(["0, 5, 1, 6", "10", "10", "4", "3"]);
    expect(losses).toEqual({ holes_to_mask: 1 });
  });

  test("of keypoints is a skeleton where its label names as many points, else points", () => {
    const coordinates = { points, visibility: [2, 1, 0] };
    const { shapes, losses } = compose(
      annotate("keypoints", coordinates, {}, "person"),
      annotate("keypoints", coordinates),
      annotate("keypoints", { points }),
    );
    expect(shapes.map(({ name, attributes }) => [name, attributes.points])).toEqual([
      ["skeleton", undefined],
      ["points", "8,8;20,30"],
      ["points", "8,8;20,30;30.1235,12"],
    ]);
    expect(shapes[0]?.children.map(({ attributes }) => attributes)).toEqual([
      { label: "head", source: "manual", outside: "0", occluded: "0", points: "8,8" },
      { label: 'left "hand"', source: "manual", outside: "0", occluded: "1", points: "20,30" },
      { label: "foot", source: "manual", outside: "1", occluded: "0", points: "30.1235,12" },
    ]);
    expect(losses).toEqual({ visibility_dropped: 1 });
  });

  test("is not there for what CVAT's pictures do not have, and what is outside", () => {
    const { shapes, losses } = compose(
      annotate("cuboid", { center: [0, 0, 0], size: [1, 1, 1], rotation: [0, 0, 0, 1] }),
      annotate("bbox", { x: 64, y: 0, width: 2, height: 2 }),
    );
    expect([shapes, losses]).toEqual([[], { cuboid_dropped: 1, outside_dropped: 1 }]);
  });
});

test("labels have their attributes, those that only results have too, and a skeleton's points are labels of their own", () => {
  const { seen } = compose(annotate("classification", {}, { kind: "a", mood: 3 }, "person"));
  const entries = readXml(listLabels(classes, seen)).children.map(({ children }) =>
    Object.fromEntries(children.map((child) => [child.name, child.text])),
  );
  expect(entries).toMatchObject([
    { name: "person", color: "#112233", type: "skeleton" },
    { name: "head", type: "points", parent: "person" },
    { name: 'left "hand"', type: "points", parent: "person" },
    { name: "foot", type: "points", parent: "person" },
    { name: "lorry", color: "#445566", type: "any" },
  ]);
  const document = readXml(listLabels(classes, seen));
  const attributes = findAll(document.children[0] ?? document, "attribute").map(({ children }) =>
    children.map(({ text }) => text),
  );
  expect(attributes).toEqual([
    ["kind", "False", "select", "a", "a\nb<c"],
    ["hidden", "False", "checkbox", "", "false"],
    ["mood", "False", "text", "", ""],
  ]);
  // CVAT has the picture of a skeleton as text.
  const drawing = readXml(`<svg>${findAll(document, "svg")[0]?.text}</svg>`);
  expect(findAll(drawing, "line").map(({ attributes: of }) => [of["data-node-from"], of["data-node-to"]])).toEqual([
    ["1", "2"],
    ["1", "3"],
  ]);
  expect(findAll(drawing, "circle").map(({ attributes: of }) => of["data-label-name"])).toEqual(skeleton.points);
});
