import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { toRuns } from "@/domain/masks/fill";
import { toCoordinates } from "@/domain/masks/mask-figure";
import { ShapeOverlay } from "./shape-overlay";
import type { ItemShape } from "./shapes";

const square = (low: number, high: number): [number, number][] => [
  [low, low],
  [high, low],
  [high, high],
  [low, high],
];
const picture = { width: 200, height: 200 };
const filled = toRuns([square(10, 90), square(30, 60)], picture);
if (!filled) throw new Error("no pixels");

const shape = (id: string, type: string, coordinates: object): ItemShape => ({
  id,
  label: id,
  type,
  coordinates: { ...coordinates },
  attributes: {},
  colour: "#0891b2",
  run: null,
  score: null,
  frame: null,
});

test("holes of polygons and masks are not filled, and what is no mask is not drawn", async () => {
  const shapes = [
    shape("pixels", "mask", toCoordinates(filled.box, filled.runs, picture)),
    shape("area", "polygon", { points: square(100, 190), holes: [square(120, 150)] }),
    shape("broken", "mask", { size: [1, 1], box: [0, 0, 1, 1], counts: "?" }),
  ];
  await show(<ShapeOverlay shapes={shapes} {...picture} scale={1} selected="area" />, "/");
  const find = (id: string) => document.querySelector<SVGPathElement>(`[data-shape=${id}] path`);
  const isFilled = (id: string, x: number, y: number) => find(id)?.isPointInFill(new DOMPoint(x, y));
  expect([isFilled("pixels", 20, 45), isFilled("pixels", 45, 45)]).toEqual([true, false]);
  expect([isFilled("area", 110, 130), isFilled("area", 135, 135)]).toEqual([true, false]);
  expect(find("broken")).toBeNull();
  await expectGoodLooks();
});
