import { describe, expect, test } from "vitest";
import { readDetections } from "@/engine/messages/pictures/detections";
import { readImageAnnotations } from "@/engine/messages/pictures/image-annotations";
import { readImageMarkers } from "@/engine/messages/pictures/image-markers";
import { isOverlaySchema } from "@/engine/messages/pictures/overlay-schemas";
import { findStamp } from "@/engine/messages/pictures/picture-overlays";
import { UnreadableMessage } from "@/engine/messages/reading";

const red = { r: 1, g: 0, b: 0, a: 1 };
const half = { r: 0, g: 1, b: 0, a: 0.5 };
const points = [
  { x: 0, y: 0 },
  { x: 4, y: 0 },
  { x: 4, y: 4 },
];

test.each([
  ["foxglove.ImageAnnotations", true],
  ["foxglove_msgs/msg/ImageAnnotations", true],
  ["visualization_msgs/ImageMarker", true],
  ["visualization_msgs/msg/ImageMarkerArray", true],
  ["foxglove_msgs/ImageMarkerArray", true],
  ["vision_msgs/msg/Detection2DArray", true],
  ["visualization_msgs/msg/Marker", false],
])("messages of %s are drawn over pictures: %s", (schema, is) => {
  expect(isOverlaySchema(schema)).toBe(is);
});

describe("foxglove.ImageAnnotations", () => {
  test("are circles by their diameter, from the edge of the first pixel", () => {
    const circle = { position: { x: 0, y: 2.5 }, diameter: 6, thickness: 2, outline_color: red, fill_color: half };
    expect(readImageAnnotations({ circles: [circle] }).shapes).toEqual([
      {
        kind: "circle",
        at: { x: 0, y: 2.5 },
        radius: 3,
        width: 2,
        stroke: "rgb(255 0 0 / 1)",
        fill: "rgb(0 255 0 / 0.5)",
      },
    ]);
  });

  test.each([
    [1, { kind: "points" }],
    [2, { kind: "path", isClosed: true }],
    [3, { kind: "path", isClosed: false, fill: null }],
    ["LINE_STRIP", { kind: "path", isClosed: false }],
  ])("of points of the type %s are %j", (type, expected) => {
    const { shapes } = readImageAnnotations({ points: [{ type, points, thickness: 2, outline_color: red }] });
    expect(shapes).toMatchObject([{ points, ...expected }]);
  });

  test("that are a list of lines drop and count an odd last point", () => {
    const { shapes, notes } = readImageAnnotations({
      points: [{ type: 4, points, outline_colors: [half], thickness: 1 }],
    });
    expect(shapes).toMatchObject([{ kind: "lines", points: points.slice(0, 2), colours: ["rgb(0 255 0 / 0.5)"] }]);
    expect(notes).toEqual(["The last point of a list of lines has no pair and is left out"]);
  });

  test("are texts anchored at their lower left corner, of no size where they say none", () => {
    const text = { position: { x: 3, y: 9 }, text: "box", text_color: red };
    expect(readImageAnnotations({ texts: [text] }).shapes).toMatchObject([
      { kind: "text", at: { x: 3, y: 9 }, text: "box", size: null, colour: "rgb(255 0 0 / 1)", background: null },
    ]);
  });

  test("without a time of their own have that of their first part, in any form of time", () => {
    const at = (timestamp: object | string) => findStamp({ circles: [{ timestamp, position: { x: 1, y: 1 } }] });
    expect(at({ sec: 5, nsec: 7 })).toBe(5_000_000_007n);
    expect(at({ seconds: 5, nanos: 7 })).toBe(5_000_000_007n);
    expect(at("1970-01-01T00:00:05.000000007Z")).toBe(5_000_000_007n);
    expect(at({ sec: 0, nsec: 0 })).toBeNull();
  });

  test("leave out and count what has no place, and what is too much", () => {
    const circle = { position: { x: Number.NaN, y: 0 }, diameter: 1 };
    const { shapes, notes } = readImageAnnotations({
      circles: [circle, ...Array.from({ length: 2_001 }, () => ({ ...circle, position: { x: 1, y: 1 } }))],
    });
    expect(shapes).toHaveLength(2_000);
    expect(notes).toEqual(["A point has no numbers", "One shape too many"]);
  });

  test("that are nothing of the kind say so", () => {
    expect(() => readImageAnnotations({ circles: 5 })).toThrow(UnreadableMessage);
    expect(() => readImageAnnotations({ points: [7] })).toThrow(UnreadableMessage);
  });
});

describe("visualization_msgs/ImageMarker", () => {
  const marker = { ns: "a", id: 1, type: 0, action: 0, position: { x: 5, y: 6, z: 0 }, scale: 8, outline_color: red };
  const one = (change: object) => readImageMarkers("visualization_msgs/ImageMarker", [{ ...marker, ...change }]).shapes;

  test("is a circle whose scale is the diameter, filled only where it says so", () => {
    expect(one({ fill_color: half })).toMatchObject([{ kind: "circle", at: { x: 5, y: 6 }, radius: 4, fill: null }]);
    expect(one({ fill_color: half, filled: 1 })).toMatchObject([{ fill: "rgb(0 255 0 / 0.5)" }]);
  });

  test.each([
    [1, { kind: "path", isClosed: false, width: 8 }],
    [2, { kind: "lines", width: 8, points: points.slice(0, 2) }],
    [3, { kind: "path", isClosed: true }],
    [4, { kind: "points", size: 8 }],
  ])("of the type %s is %j", (type, expected) => {
    expect(one({ type, points })).toMatchObject([expected]);
  });

  test("of a type that is not known is nothing", () => {
    expect(one({ type: 9 })).toEqual([]);
  });

  test("is replaced and removed by a later one of the same name and number", () => {
    const read = (...markers: object[]) => readImageMarkers("visualization_msgs/msg/ImageMarkerArray", [{ markers }]);
    const later = { ...marker, position: { x: 9, y: 9 } };
    expect(read(marker, later).shapes).toMatchObject([{ at: { x: 9, y: 9 } }]);
    expect(read(marker, { ...marker, ns: "b" }).shapes).toHaveLength(2);
    expect(read(marker, { ...marker, action: 1 }).shapes).toEqual([]);
    const separate = readImageMarkers("visualization_msgs/ImageMarker", [marker, { ...marker, id: 2 }]);
    expect(separate.shapes).toHaveLength(2);
  });
});

describe("vision_msgs/Detection2DArray", () => {
  const size = { size_x: 20, size_y: 10 };
  test.each([
    [
      "version 4",
      { center: { position: { x: 50, y: 30 }, theta: 0 } },
      { hypothesis: { class_id: "pallet", score: 0.91 } },
    ],
    ["version 1", { center: { x: 50, y: 30, theta: 0 } }, { id: "pallet", score: 0.91 }],
  ])("of %s is a box by its centre with its class and score", (_, bbox, result) => {
    const { shapes } = readDetections({
      detections: [{ bbox: { ...bbox, ...size }, results: [{ id: "x", score: 0.1 }, result] }],
    });
    expect(shapes).toMatchObject([
      {
        kind: "path",
        isClosed: true,
        points: [
          { x: 40, y: 25 },
          { x: 60, y: 25 },
          { x: 60, y: 35 },
          { x: 40, y: 35 },
        ],
      },
      { kind: "text", text: "pallet 0.91", at: { x: 40, y: 25 } },
    ]);
  });

  test("turns a box by its angle", () => {
    const bbox = { center: { x: 0, y: 0, theta: Math.PI / 2 }, ...size };
    const [box] = readDetections({ detections: [{ bbox, results: [] }] }).shapes;
    const corner = box?.kind === "path" ? box.points[0]! : { x: 0, y: 0 };
    expect([corner.x, corner.y]).toEqual([expect.closeTo(5), expect.closeTo(-10)]);
  });

  test("of a class by number, as the first version has it", () => {
    const bbox = { center: { x: 5, y: 5 }, ...size };
    const { shapes } = readDetections({ detections: [{ bbox, results: [{ id: 7, score: 1 }] }] });
    expect(shapes[1]).toMatchObject({ text: "7 1.00" });
  });
});
