import { describe, expect, test } from "vitest";
import { encodePixels, formatRuns } from "@/domain/masks/run-lengths";
import { completeLabels } from "@/domain/projects/label-schema";
import { Annotation } from "@/domain/tasks/schema";
import { numberClasses } from "@/server/features/exports/class-numbers";
import { composeRegions, formatConfig } from "@/server/features/exports/label-studio-results";
import { finish } from "@/server/features/exports/steps";
import { Tally } from "@/server/features/exports/tally";
import { findAll, readXml } from "@/server/testing/xml-reader";

const size = { width: 64, height: 48 };
const labels = completeLabels([
  { name: "person", color: "#112233" },
  { name: "lorry <big>", color: "#445566", aliases: ["car"] },
]);
const classes = numberClasses([labels], []);

const annotate = (type: string, coordinates: object, attributes: object = {}) =>
  Annotation.parse({ label: "car", type, coordinates, attributes });

interface Region {
  type: string;
  from_name: string;
  value: Record<string, unknown> & { rle?: number[] };
  original_width?: number;
}

function compose(...annotations: readonly Annotation[]) {
  const tally = new Tally(classes);
  const ofResult = "0198c0de-0000-7000-8000-000000000001";
  const regions = finish(composeRegions(annotations, size, classes, tally, ofResult)).make();
  const losses = Object.fromEntries(tally.toContents().losses.map(({ what, count }) => [what, count]));
  return { regions: regions as Region[], losses };
}

/** Unpacks bytes as `rle-pack` of @thi.ng and Label Studio's own converter do, and takes the fourth channel. */
function unpack(bytes: readonly number[]): number[] {
  let at = 0;
  const read = (bits: number): number => {
    let value = 0;
    for (let bit = 0; bit < bits; bit += 1, at += 1)
      value = value * 2 + (((bytes[Math.floor(at / 8)] ?? 0) >> (7 - (at % 8))) & 1);
    return value;
  };
  const count = read(32);
  const wordSize = read(5) + 1;
  const sizes = [0, 0, 0, 0].map(() => read(4) + 1);
  const values: number[] = [];
  while (values.length < count) {
    const isRun = read(1) === 1;
    const length = read(sizes[read(2)] ?? 0) + 1;
    if (isRun) {
      const value = read(wordSize);
      for (let left = length; left > 0; left -= 1) values.push(value);
    } else for (let left = length; left > 0; left -= 1) values.push(read(wordSize));
  }
  return values.filter((_, index) => index % 4 === 3);
}

describe("a region of Label Studio", () => {
  test("of a box is in percent of the picture, and turned about its top left corner", () => {
    const { regions } = compose(
      annotate("bbox", { x: 16, y: 12, width: 32, height: 24 }),
      annotate("bbox", { x: 12, y: 14, width: 40, height: 20, rotation: 90 }),
    );
    expect(regions).toMatchObject([
      {
        type: "rectanglelabels",
        from_name: "box",
        to_name: "image",
        original_width: 64,
        original_height: 48,
        image_rotation: 0,
        value: { x: 25, y: 25, width: 50, height: 50, rotation: 0, rectanglelabels: ["lorry <big>"] },
      },
      {
        value: {
          x: expect.closeTo((42 / 64) * 100, 6),
          y: expect.closeTo((4 / 48) * 100, 6),
          width: 62.5,
          rotation: 90,
        },
      },
    ]);
  });

  test("of a mask has its pixels in every channel, also of a large picture, and so has a polygon with holes", () => {
    const pixels = Uint8Array.from([1, 0, 0, 1, 1, 1]);
    const mask = { size: [48, 64], box: [20, 30, 3, 2], counts: formatRuns(encodePixels(pixels, 3, 2)) };
    const { regions } = compose(annotate("mask", mask));
    const found = unpack(regions[0]?.value.rle ?? []).flatMap((value, at) =>
      value > 0 ? [[at % 64, Math.floor(at / 64), value]] : [],
    );
    expect(found).toEqual([
      [20, 30, 255],
      [20, 31, 255],
      [21, 31, 255],
      [22, 31, 255],
    ]);
    const square = [
      [10, 10],
      [20, 10],
      [20, 20],
      [10, 20],
    ];
    const hole = [
      [12, 12],
      [14, 12],
      [14, 14],
      [12, 14],
    ];
    const holed = compose(annotate("polygon", { points: square, holes: [hole] }));
    expect(unpack(holed.regions[0]?.value.rle ?? []).filter((value) => value > 0)).toHaveLength(96);
    expect(holed.losses).toEqual({ holes_to_mask: 1 });
  });

  test("of keypoints is one for each point that is there, which is said", () => {
    const points = [
      [16, 12],
      [32, 24],
      [1, 1],
    ];
    const { regions, losses } = compose(annotate("keypoints", { points, visibility: [2, 1, 0] }));
    expect(regions).toMatchObject([
      { type: "keypointlabels", value: { x: 25, y: 25 } },
      { type: "keypointlabels", value: { x: 50, y: 50 } },
    ]);
    expect(losses).toEqual({ keypoints_parted: 1, visibility_dropped: 1 });
  });

  test("of a classification is a choice, and there is none of lines and of what is outside", () => {
    const line = annotate("polyline", {
      points: [
        [0, 0],
        [9, 9],
      ],
    });
    const outside = annotate("bbox", { x: 64, y: 0, width: 2, height: 2 });
    const { regions, losses } = compose(annotate("classification", {}, { weather: "rain" }), line, outside);
    expect(regions).toMatchObject([{ type: "choices", from_name: "tag", value: { choices: ["lorry <big>"] } }]);
    expect(losses).toEqual({ polyline_dropped: 1, outside_dropped: 1, attributes_dropped: 1 });
  });
});

test("the labeling configuration has a control for every region, with all classes", () => {
  const config = readXml(formatConfig(classes).trim());
  expect(findAll(config, "Image").map(({ attributes }) => attributes)).toEqual([{ name: "image", value: "$image" }]);
  const controls = config.children.filter(({ attributes }) => attributes.toName === "image");
  expect(controls.map(({ name, attributes }) => [name, attributes.name])).toEqual([
    ["RectangleLabels", "box"],
    ["PolygonLabels", "polygon"],
    ["BrushLabels", "mask"],
    ["KeyPointLabels", "point"],
    ["Choices", "tag"],
  ]);
  for (const { children } of controls)
    expect(children.map(({ attributes }) => attributes.value)).toEqual(["person", "lorry <big>"]);
});
