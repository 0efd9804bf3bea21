import { describe, expect, test } from "vitest";
import { decodeRuns, encodePixels, formatRuns, parseRuns } from "@/domain/masks/run-lengths";
import { completeLabels } from "@/domain/projects/label-schema";
import { Annotation } from "@/domain/tasks/schema";
import { numberClasses } from "@/server/features/exports/class-numbers";
import { composeCoco, listCategories, type CocoAnnotation } from "@/server/features/exports/coco-annotations";
import { finish } from "@/server/features/exports/steps";
import { Tally } from "@/server/features/exports/tally";

const size = { width: 64, height: 48 };
const classes = numberClasses(
  [
    completeLabels([
      { name: "person", color: "#112233" },
      { name: "car", color: "#112233" },
    ]),
  ],
  [],
);

const annotate = (type: string, coordinates: object, attributes: object = {}) =>
  Annotation.parse({ label: "car", type, coordinates, attributes });

function compose(...annotations: readonly Annotation[]) {
  const tally = new Tally(classes);
  const content = finish(composeCoco(annotations, size, classes, tally)).make();
  const losses = Object.fromEntries(tally.toContents().losses.map(({ what, count }) => [what, count]));
  return { content, losses };
}

/** The pixels of a segmentation as another reader of the format decodes them: columns from the left. */
function listPixels(segmentation: CocoAnnotation["segmentation"] = []): [x: number, y: number][] {
  const runs = Array.isArray(segmentation) ? null : parseRuns(segmentation.counts);
  const pixels = decodeRuns(runs ?? [], size.width, size.height);
  return [...pixels].flatMap((each, at): [number, number][] => (each ? [[at % 64, Math.floor(at / 64)]] : []));
}

const square = [
  [10, 10],
  [20, 10],
  [20, 30],
  [10, 30],
];

describe("an annotation of COCO", () => {
  test("of a box has its place, its area and no outline", () => {
    const { content, losses } = compose(annotate("bbox", { x: 1.5, y: 2, width: 10, height: 20 }, { occluded: true }));
    expect(content).toEqual([
      {
        category_id: 2,
        bbox: [1.5, 2, 10, 20],
        area: 200,
        segmentation: [],
        iscrowd: 0,
        attributes: { occluded: true },
      },
    ]);
    expect(losses).toEqual({});
  });

  test("of a turned box is a polygon, which is said", () => {
    const { content, losses } = compose(annotate("bbox", { x: 12, y: 14, width: 40, height: 20, rotation: 90 }));
    expect(content[0]?.segmentation).toEqual([[42, 4, 42, 44, 22, 44, 22, 4].map((each) => expect.closeTo(each, 6))]);
    expect(content[0]?.bbox).toEqual([22, 4, 20, 40].map((each) => expect.closeTo(each, 6)));
    expect([content[0]?.area, losses]).toEqual([800, { rotated_to_polygon: 1 }]);
  });

  test("of a polygon has its points in one list, and as area its pixels", () => {
    expect(compose(annotate("polygon", { points: square })).content).toMatchObject([
      { bbox: [10, 10, 10, 20], area: 200, segmentation: [[10, 10, 20, 10, 20, 30, 10, 30]] },
    ]);
  });

  test("of a polygon with holes is a mask, which is said", () => {
    const hole = [
      [12, 12],
      [14, 12],
      [14, 15],
      [12, 15],
    ];
    const { content, losses } = compose(annotate("polygon", { points: square, holes: [hole] }));
    expect(content).toMatchObject([{ bbox: [10, 10, 10, 20], area: 194, segmentation: { size: [48, 64] } }]);
    expect(losses).toEqual({ holes_to_mask: 1 });
  });

  test("of a mask has the run lengths of the whole picture, and the bounds of its pixels", () => {
    const pixels = Uint8Array.from([0, 0, 0, 0, 1, 1, 0, 1, 0]);
    const coordinates = { size: [48, 64], box: [20, 30, 3, 3], counts: formatRuns(encodePixels(pixels, 3, 3)) };
    const [mask] = compose(annotate("mask", coordinates)).content;
    expect(mask).toMatchObject({ bbox: [21, 31, 2, 2], area: 3, segmentation: { size: [48, 64] } });
    expect(listPixels(mask?.segmentation)).toEqual([
      [21, 31],
      [22, 31],
      [21, 32],
    ]);
  });

  test("of a skeleton has absent points as zeros, and as box that of the others", () => {
    const points = [
      [16, 12],
      [60, 40],
      [48, 36],
    ];
    expect(compose(annotate("keypoints", { points, visibility: [2, 0, 1] })).content).toMatchObject([
      { keypoints: [16, 12, 2, 0, 0, 0, 48, 36, 1], num_keypoints: 2, bbox: [16, 12, 32, 24], segmentation: [] },
    ]);
  });

  test("is of its track, and there is none of what COCO does not know or is outside", () => {
    const track = "5f0c4c5e-0f43-4b1d-9f2a-000000000001";
    const inTrack = annotate("bbox", { x: 1, y: 1, width: 1, height: 1 }, { track });
    const line = annotate("polyline", { points: square });
    const outside = annotate("bbox", { x: 64, y: 1, width: 5, height: 1 });
    const empty = annotate("mask", { size: [48, 64], box: [0, 0, 1, 1], counts: formatRuns([1]) });
    const { content, losses } = compose(inTrack, line, annotate("classification", {}), outside, empty);
    expect(content).toMatchObject([{ track_id: track, attributes: { track } }]);
    expect(losses).toEqual({ polyline_dropped: 1, classification_dropped: 1, outside_dropped: 2 });
  });
});

test("categories are the class numbers plus one, without gaps, and name the points of skeletons and their edges from one", () => {
  const label = (name: string, number: number, more: object = {}) => ({ name, color: "#112233", number, ...more });
  const labels = [label("robot", 0, { points: ["head", "foot"], edges: [[0, 1]] }), label("car", 3)];
  expect(listCategories(numberClasses([completeLabels(labels)], ["bus"]))).toEqual([
    { id: 1, name: "robot", supercategory: "", keypoints: ["head", "foot"], skeleton: [[1, 2]] },
    { id: 4, name: "car", supercategory: "" },
    { id: 5, name: "bus", supercategory: "" },
  ]);
});
