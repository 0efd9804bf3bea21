import fc from "fast-check";
import { expect, test } from "vitest";
import {
  boundPoints,
  findNearestEdge,
  isInArea,
  isInRings,
  measureArea,
  toBounds,
} from "@/domain/annotations/geometry";
import { listParts } from "@/domain/annotations/mask-parts";
import { toRuns } from "./fill";
import {
  cutColumn,
  isInMask,
  measureWithin,
  moveMask,
  overlapMasks,
  readMask,
  toCoordinates,
  toFigure,
  type MaskFigure,
} from "./mask-figure";
import { outlineMask } from "./outline";
import { decodeRuns, encodePixels } from "./run-lengths";

/** Masks by their pixels, as what is said of them by their runs is compared with. */

const picture = { width: 30, height: 25 };
const masks = fc
  .record({
    x: fc.integer({ min: 0, max: 18 }),
    y: fc.integer({ min: 0, max: 15 }),
    width: fc.integer({ min: 1, max: 12 }),
    height: fc.integer({ min: 1, max: 10 }),
  })
  .chain((box) =>
    fc
      .array(fc.constantFrom(0, 1, 1), { minLength: box.width * box.height, maxLength: box.width * box.height })
      .map((pixels) => ({ box, pixels: Uint8Array.from(pixels) })),
  );
type Place = [x: number, y: number];
type Drawn = { box: { x: number; y: number; width: number; height: number }; pixels: Uint8Array };

const toMask = ({ box, pixels }: Drawn): MaskFigure => {
  const coordinates = toCoordinates(box, encodePixels(pixels, box.width, box.height), picture);
  const figure = readMask(coordinates);
  if (!figure) throw new Error("no mask");
  return figure;
};
const has = ({ box, pixels }: Drawn, x: number, y: number): boolean => {
  const [column, row] = [x - box.x, y - box.y];
  const isOut = column < 0 || row < 0 || column >= box.width || row >= box.height;
  return !isOut && pixels[row * box.width + column] === 1;
};
const places = Array.from({ length: picture.width * picture.height }, (_, at): Place => [
  at % picture.width,
  Math.floor(at / picture.width),
]);
const listInside = (drawn: Drawn): Place[] => places.filter(([x, y]) => has(drawn, x, y));

test("pixels are found, counted and cut by columns as they were drawn", () => {
  fc.assert(
    fc.property(masks, (drawn) => {
      const figure = toMask(drawn);
      expect(places.filter(([x, y]) => isInMask(figure, x, y))).toEqual(listInside(drawn));
      expect(figure.area).toBe(drawn.pixels.reduce((sum, pixel) => sum + pixel, 0));
      const columns = Array.from({ length: picture.width }, (_, x) => cutColumn(figure, x));
      expect(columns.every((cuts) => cuts.every((cut, at) => at === 0 || cut > (cuts[at - 1] ?? cut)))).toBe(true);
      const isCut = ([x, y]: Place) => (columns[x] ?? []).filter((cut) => cut <= y).length % 2 === 1;
      expect(places.filter(isCut)).toEqual(listInside(drawn));
    }),
  );
});

test("a part between bounds is measured to fractions of pixels", () => {
  const edge = fc.double({ min: 0, max: 30, noNaN: true });
  fc.assert(
    fc.property(masks, edge, edge, edge, edge, (drawn, a, b, c, d) => {
      const bounds = { left: Math.min(a, b), right: Math.max(a, b), top: Math.min(c, d), bottom: Math.max(c, d) };
      const share = (low: number, high: number, at: number) => Math.max(0, Math.min(high, at + 1) - Math.max(low, at));
      const wanted = places
        .filter(([x, y]) => has(drawn, x, y))
        .reduce((sum, [x, y]) => sum + share(bounds.left, bounds.right, x) * share(bounds.top, bounds.bottom, y), 0);
      expect(measureWithin(toMask(drawn), bounds)).toBeCloseTo(wanted, 6);
    }),
  );
});

test("two masks overlap by the share of their pixels", () => {
  fc.assert(
    fc.property(masks, masks, (a, b) => {
      const both = places.filter(([x, y]) => has(a, x, y) && has(b, x, y)).length;
      const any = places.filter(([x, y]) => has(a, x, y) || has(b, x, y)).length;
      expect(overlapMasks(toMask(a), toMask(b))).toBeCloseTo(any === 0 ? 0 : both / any, 9);
    }),
  );
});

test("lines around a mask surround its pixels and no others, and neither cross nor touch along a side", () => {
  fc.assert(
    fc.property(masks, (drawn) => {
      const figure = toMask(drawn);
      const rings = outlineMask(figure);
      const lines = rings.map(({ points }) => points);
      expect(places.filter(([x, y]) => isInRings([x + 0.5, y + 0.5], lines))).toEqual(listInside(drawn));
      const area = rings.reduce((sum, { points, isHole }) => sum + measureArea(points) * (isHole ? -1 : 1), 0);
      expect(area).toBe(figure.area);
      const isStraight = (points: Place[]) =>
        points.every(([x, y], at) => (x === points.at(at - 1)?.[0]) !== (y === points.at(at - 1)?.[1]));
      expect(lines.every(isStraight)).toBe(true);
    }),
  );
});

test("the parts of a mask have its holes, and are the mask together", () => {
  fc.assert(
    fc.property(masks, (drawn) => {
      const figure = toMask(drawn);
      const parts = listParts(outlineMask(figure));
      const inParts = parts.flatMap(({ outer, holes }) =>
        places.filter(([x, y]) => isInRings([x + 0.5, y + 0.5], [outer, ...holes])),
      );
      const inOrder = inParts.toSorted(([xA, yA], [xB, yB]) => yA - yB || xA - xB);
      expect(inOrder).toEqual(listInside(drawn));
      expect(parts.flatMap(({ holes }) => holes)).toHaveLength(
        outlineMask(figure).filter((ring) => ring.isHole).length,
      );
    }),
  );
});

test("a mask that moved has its pixels and lines elsewhere", () => {
  fc.assert(
    fc.property(masks, fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }), (drawn, dx, dy) => {
      const before = toCoordinates(drawn.box, encodePixels(drawn.pixels, drawn.box.width, drawn.box.height), picture);
      const moved = readMask(moveMask(before, dx, dy));
      if (!moved) throw new Error("no mask");
      const drawnThere = { ...drawn, box: { ...drawn.box, x: drawn.box.x + dx, y: drawn.box.y + dy } };
      expect(moved).toEqual(toMask(drawnThere));
      expect(outlineMask(moved)).toEqual(outlineMask(toMask(drawnThere)));
    }),
  );
});

test("rings are filled with the pixels whose middle they surround, in the smallest box", () => {
  const at = fc.double({ min: -5, max: 35, noNaN: true });
  const ring = fc.array(fc.tuple(at, at), { minLength: 3, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(ring, { minLength: 1, maxLength: 3 }), (rings) => {
      // A middle on a line is on either side of it, as the rounding has it.
      const isClear = ([x, y]: readonly [number, number]) =>
        rings.every((each) => (findNearestEdge([x + 0.5, y + 0.5], each, true)?.distance ?? Infinity) > 1e-6);
      fc.pre(places.every(isClear));
      const filled = toRuns(rings, picture);
      const wanted = places.filter(([x, y]) => isInRings([x + 0.5, y + 0.5], rings));
      if (!filled) {
        expect(wanted).toEqual([]);
        return;
      }
      const figure = toFigure(filled.box, filled.runs);
      expect(figure.area).toBe(wanted.length);
      expect(wanted.every(([x, y]) => isInMask(figure, x, y))).toBe(true);
      const bounds = boundPoints(
        wanted.flatMap(([x, y]): [number, number][] => [
          [x, y],
          [x + 1, y + 1],
        ]),
      );
      expect(toBounds(figure)).toEqual(bounds);
    }),
  );
});

test("the lines of a mask are filled with the mask", () => {
  fc.assert(
    fc.property(masks, (drawn) => {
      const figure = toMask(drawn);
      const filled = toRuns(
        outlineMask(figure).map(({ points }) => points),
        picture,
      );
      if (!filled) {
        expect(figure.area).toBe(0);
        return;
      }
      expect(overlapMasks(toFigure(filled.box, filled.runs), figure)).toBe(1);
      expect(decodeRuns(filled.runs, filled.box.width, filled.box.height)).toHaveLength(
        filled.box.width * filled.box.height,
      );
    }),
  );
});

test.each([
  {},
  { box: [0, 0, 2, 2], counts: 4 },
  { box: [0, 0, 2], counts: "04" },
  { box: [0, 0, 2, 2.5], counts: "04" },
  { box: [0, 0, 2, 3], counts: "04" },
  { box: [0, 0, 2, 2], counts: "!" },
])("what is no mask is read as none: %j", (coordinates) => {
  expect(readMask(coordinates)).toBeNull();
});

test("pixels that touch with a corner only are parts of their own", () => {
  const drawn = { box: { x: 0, y: 0, width: 2, height: 2 }, pixels: Uint8Array.of(1, 0, 0, 1) };
  const parts = listParts(outlineMask(toMask(drawn)));
  expect(parts.map(({ outer }) => outer.length)).toEqual([4, 4]);
  expect(parts.some(({ outer }) => isInArea([1.5, 1.5], outer))).toBe(true);
});
