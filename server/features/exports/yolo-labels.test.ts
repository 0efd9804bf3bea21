import { describe, expect, test } from "vitest";
import type { YoloFormat } from "@/domain/exports/formats";
import { encodePixels, formatRuns } from "@/domain/masks/run-lengths";
import { Annotation } from "@/domain/tasks/schema";
import type { Outline } from "@/server/features/exports/format";
import { finish } from "@/server/features/exports/steps";
import { Tally } from "@/server/features/exports/tally";
import { formatLabels } from "@/server/features/exports/yolo-labels";

const size = { width: 64, height: 48 };
const classes = {
  names: ["person", "car"],
  numbers: new Map([
    ["person", 0],
    ["car", 1],
  ]),
  labels: new Map(),
};

const annotate = (type: string, coordinates: object, attributes: object = {}, label = "car") =>
  Annotation.parse({ label, type, coordinates, attributes });

/** The lines of a label file, and what it lacks. */
function write(format: YoloFormat, annotations: readonly Annotation[], points: number | null = null) {
  const outline: Outline = { classes, split: null, points, background: false };
  const tally = new Tally(classes);
  const { make, shapes } = finish(formatLabels(annotations, size, format, outline, tally));
  const content = make();
  const losses = Object.fromEntries(tally.toContents().losses.map(({ what, count }) => [what, count]));
  return { lines: content.split("\n").filter(Boolean), shapes, losses };
}

const box = annotate("bbox", { x: 16, y: 12, width: 32, height: 24 });
const turned = annotate("bbox", { x: 12, y: 14, width: 40, height: 20, rotation: 90 });
const holed = annotate("polygon", {
  points: [
    [16, 12],
    [48, 12],
    [48, 36],
    [16, 36],
  ],
  holes: [
    [
      [24, 18],
      [32, 18],
      [32, 24],
      [24, 24],
    ],
  ],
});
/** Four by three pixels at 16, 12 without the last one of the first row. */
const mask = annotate("mask", {
  size: [48, 64],
  box: [16, 12, 4, 3],
  counts: formatRuns(encodePixels(Uint8Array.from([1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1]), 4, 3)),
});
const nothing = annotate("mask", { size: [48, 64], box: [1, 1, 2, 2], counts: formatRuns([4]) });
const points = annotate("keypoints", {
  points: [
    [16, 12],
    [32, 24],
    [48, 36],
  ],
  visibility: [2, 1, 0],
});
const others = [
  annotate("polyline", {
    points: [
      [0, 0],
      [9, 9],
    ],
  }),
  annotate("classification", {}),
];

describe("a line of boxes", () => {
  test.each([
    [annotate("bbox", { x: -10, y: 0, width: 20, height: 48 }), "1 0.078125 0.500000 0.156250 1.000000"],
    [turned, "1 0.500000 0.500000 0.312500 0.833333"],
    [holed, "1 0.500000 0.500000 0.500000 0.500000"],
    [mask, "1 0.281250 0.281250 0.062500 0.062500"],
  ])("of %j is %j", (annotation, line) => {
    expect(write("YOLO", [annotation]).lines).toEqual([line]);
  });

  test("is left out and counted for what is outside, empty, of no class or of another type", () => {
    const outside = annotate("bbox", { x: 70, y: 0, width: 20, height: 48 });
    const unknown = annotate("bbox", { x: 1, y: 1, width: 2, height: 2 }, {}, "bus");
    expect(write("YOLO", [outside, unknown, nothing, points, ...others])).toEqual({
      lines: [],
      shapes: 0,
      losses: { outside_dropped: 3, keypoints_dropped: 1, polyline_dropped: 1, classification_dropped: 1 },
    });
  });

  test("says what became of other shapes and of attributes, but nothing of the uid that the editor gives a shape", () => {
    const tagged = annotate("bbox", { x: 1, y: 1, width: 2, height: 2 }, { id: "a", occluded: true });
    const plain = annotate("bbox", { x: 1, y: 1, width: 2, height: 2 }, { id: "b", source: "human" });
    expect(write("YOLO", [holed, mask, turned, tagged, plain]).losses).toEqual({
      polygon_to_box: 1,
      mask_to_box: 1,
      rotation_dropped: 1,
      attributes_dropped: 1,
    });
  });
});

describe("a line of outlines", () => {
  test("holds masks and polygons, with their holes, as one ring, and no boxes", () => {
    const { lines, losses, shapes } = write("YOLO-segment", [mask, holed, box, nothing]);
    expect(lines[0]).toBe(
      "1 0.296875 0.250000 0.296875 0.270833 0.312500 0.270833 0.312500 0.312500 0.250000 0.312500 0.250000 0.250000",
    );
    // Outline, a line to the hole, the hole, and the same line back.
    expect(lines[1]?.split(" ")).toHaveLength(1 + 2 * (4 + 4 + 2));
    expect([shapes, losses]).toEqual([2, { mask_to_polygon: 1, box_dropped: 1, outside_dropped: 1 }]);
  });
});

describe("a line of corners", () => {
  test("keeps boxes turned, clockwise from their own top left", () => {
    expect(write("YOLO-OBB", [box, turned]).lines).toEqual([
      "1 0.250000 0.250000 0.750000 0.250000 0.750000 0.750000 0.250000 0.750000",
      "1 0.656250 0.083333 0.656250 0.916667 0.343750 0.916667 0.343750 0.083333",
    ]);
  });

  test("stays in the picture, and says whose corners it moved", () => {
    const wide = annotate("bbox", { x: -4, y: 20, width: 80, height: 8, rotation: 45 });
    const { lines, losses } = write("YOLO-OBB", [wide, mask, holed]);
    const numbers = lines.flatMap((line) => line.split(" ").slice(1).map(Number));
    expect(numbers.filter((value) => value < 0 || value > 1)).toEqual([]);
    expect(losses).toEqual({ corners_moved: 1, mask_to_box: 1, polygon_to_box: 1 });
  });
});

describe("a line of keypoints", () => {
  test("holds the box around the points that are there, and each with its visibility", () => {
    expect(write("YOLO-pose", [points], 3).lines).toEqual([
      "1 0.375000 0.375000 0.250000 0.250000 0.250000 0.250000 2 0.500000 0.500000 1 0.000000 0.000000 0",
    ]);
  });

  test("takes the box of its group, and leaves other boxes out", () => {
    const group = "5f0c4c5e-0f43-4b1d-9f2a-000000000001";
    const own = annotate("bbox", box.coordinates, { group });
    const grouped = annotate("keypoints", points.coordinates, { group });
    const { lines, losses } = write("YOLO-pose", [own, grouped, box], 3);
    expect(lines[0]?.startsWith("1 0.500000 0.500000 0.500000 0.500000 0.250000 ")).toBe(true);
    expect([lines.length, losses]).toEqual([1, { box_dropped: 1, attributes_dropped: 1 }]);
  });

  test("has as many points as every other: missing ones are absent, more are left out", () => {
    expect(write("YOLO-pose", [points], 4).lines[0]?.endsWith(" 0.000000 0.000000 0 0.000000 0.000000 0")).toBe(true);
    expect(write("YOLO-pose", [points], 2).losses).toEqual({ keypoints_dropped: 1 });
  });
});
