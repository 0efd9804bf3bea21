import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DraftShape } from "@/domain/annotations/draft-schema";
import { isWithin, toBounds, widen, type Point } from "@/domain/annotations/geometry";
import { makeBox, makeMask, makePolygon, makeSquare } from "../testing/drafts-of-tests";
import { getKind } from "./shape-kinds";

const at = fc.integer({ min: 0, max: 900 });
const points = (minLength: number) => fc.array(fc.tuple(at, at), { minLength, maxLength: 12 });
const members = { id: "k", label_id: "person", attributes: {}, position: 0 };
const side = fc.integer({ min: 1, max: 300 });
const withHoles = (some: DraftShape, holes: [number, number][][]): DraftShape =>
  some.type === "polygon" ? { ...some, coordinates: { ...some.coordinates, holes } } : some;
const shape: fc.Arbitrary<DraftShape> = fc.oneof(
  fc.tuple(at, at, side, side).map((box) => makeBox("k", box)),
  points(3).map((some) => makePolygon("k", some)),
  // Holes as large as their polygon, with points of their own.
  points(3).map((some) => withHoles(makePolygon("k", some), [some.slice(0, 3)])),
  fc.tuple(at, at, side, side).map(([x, y, width, height]) =>
    makeMask("k", [
      [
        [x, y],
        [x + width, y],
        [x, y + Math.min(height, 790 - y)],
      ],
      makeSquare(780, 790),
    ]),
  ),
  points(2).map((some): DraftShape => ({ ...members, type: "polyline", coordinates: { points: some } })),
  points(1).chain((some) =>
    fc
      .array(fc.constantFrom(0 as const, 1 as const, 2 as const), { minLength: some.length, maxLength: some.length })
      .map((visibility): DraftShape => ({ ...members, type: "keypoints", coordinates: { points: some, visibility } })),
  ),
);
const bound = (of: DraftShape) => {
  const bounds = getKind(of).bound(of);
  if (!bounds) throw new Error("no bounds");
  return bounds;
};

describe("every shape on a picture", () => {
  test("is drawn within its bounds, and touched only there", () => {
    fc.assert(
      fc.property(shape, at, at, (some, x, y) => {
        const kind = getKind(some);
        const { outlines, dots } = kind.draw(some, undefined);
        const drawn: Point[] = [...outlines.flatMap((outline) => outline.points), ...dots.map((dot) => dot.at)];
        expect(drawn.every((each) => isWithin(each, bound(some)))).toBe(true);
        if (kind.hit(some, [x, y], 5, undefined)) expect(isWithin([x, y], widen(bound(some), 5))).toBe(true);
        for (const each of drawn) expect(kind.hit(some, each, 5, undefined)).toBe("line");
      }),
    );
  });

  test("is moved there and back, and stretched into other bounds, without being changed otherwise", () => {
    fc.assert(
      fc.property(shape, at, at, side, side, (some, x, y, width, height) => {
        const kind = getKind(some);
        expect(kind.move(kind.move(some, [x, y]), [-x, -y])).toEqual(some);
        const to = toBounds({ x, y, width, height });
        const { left, top, right, bottom } = bound(kind.resize(some, to));
        expect([left, top].every(Number.isFinite) && isWithin([left, top], widen(to, 1e-6))).toBe(true);
        expect(isWithin([right, bottom], widen(to, 1e-6))).toBe(true);
        const { id, label_id, attributes } = kind.resize(some, to);
        expect({ id, label_id, attributes }).toEqual({
          id: some.id,
          label_id: some.label_id,
          attributes: some.attributes,
        });
      }),
    );
  });

  test("has a handle where it is drawn, which goes where it is dragged", () => {
    fc.assert(
      fc.property(shape, fc.nat(), at, at, (some, seed, x, y) => {
        const kind = getKind(some);
        const handles = kind.handles(some, undefined, 7);
        // Pixels have none.
        if (handles.length === 0) {
          expect(some.type).toBe("mask");
          return;
        }
        const handle = seed % handles.length;
        const moved = kind.moveHandle(some, handle, [x, y]);
        // Those in the middle of a side of a box move in one direction only.
        if (handles[handle]?.stem) return;
        const isCorner = some.type !== "bbox" || handle % 2 === 0;
        const reached = kind.handles(moved, undefined, 7).some((each) => each.at[0] === x && each.at[1] === y);
        if (isCorner) expect(reached).toBe(true);
        expect(moved.type).toBe(some.type);
        expect(handles.every((each) => each.name !== "")).toBe(true);
      }),
    );
  });

  test("loses a point that was put in again", () => {
    fc.assert(
      fc.property(shape, at, at, (some, x, y) => {
        const kind = getKind(some);
        const longer = kind.addPoint(some, [x, y], 50);
        if (!longer) return;
        const added = kind.handles(longer, undefined, 7).findIndex((each, index) => {
          const before = kind.handles(some, undefined, 7)[index]?.at;
          return before?.[0] !== each.at[0] || before[1] !== each.at[1];
        });
        expect(kind.removePoint(longer, added)).toEqual(some);
      }),
    );
    expect(getKind({ type: "polygon" }).name).toBe("Polygon");
  });
});

test.each([
  [makeBox("a", [310, 220, 120, 80]), "120 by 80 at 310, 220"],
  [
    makePolygon("a", [
      [0, 0],
      [10, 0],
      [10, 20],
    ]),
    "3 points, 10 by 20 at 0, 0",
  ],
  [
    {
      ...members,
      type: "keypoints" as const,
      coordinates: {
        points: [
          [5, 6],
          [1, 2],
          [9, 9],
        ] as [number, number][],
        visibility: [2, 1, 0] as (0 | 1 | 2)[],
      },
    },
    "3 points at 1, 2, 1 hidden, 1 absent",
  ],
  [{ ...members, type: "classification" as const, coordinates: {} }, "whole picture"],
  [withHoles(makePolygon("a", makeSquare(0, 90)), [makeSquare(10, 20)]), "4 points, 90 by 90 at 0, 0, 1 hole"],
  [makeMask("a", [makeSquare(10, 30), makeSquare(15, 20)]), "375 pixels, 20 by 20 at 10, 10"],
])("a shape is described in a line: %#", (some, text) => {
  expect(getKind(some).describe(some)).toBe(text);
});

test("a corner of a turned box goes where it is dragged while the opposite one stays", () => {
  const turned = makeBox("a", [100, 100, 200, 100]);
  if (turned.type !== "bbox") throw new Error("no box");
  const box = { ...turned, coordinates: { ...turned.coordinates, rotation: 30 } };
  const kind = getKind(box);
  const [topLeft] = kind.handles(box, undefined, 7);
  const after = kind.handles(kind.moveHandle(box, 4, [400, 300]), undefined, 7);
  expect(after[4]?.at.map((value) => Math.round(value))).toEqual([400, 300]);
  expect(after[0]?.at.map((value) => value.toFixed(6))).toEqual(topLeft?.at.map((value) => value.toFixed(6)));
  expect(kind.describe(box)).toBe("200 by 100 at 100, 100, turned by 30°");
});

describe.each([
  ["a polygon with a hole", withHoles(makePolygon("a", makeSquare(0, 100)), [makeSquare(30, 60)])],
  ["a mask with a hole", makeMask("a", [makeSquare(0, 100), makeSquare(30, 60)])],
])("%s", (_, some) => {
  const kind = getKind(some);

  test("is measured and touched without the hole", () => {
    expect(kind.measure(some)).toBe(100 * 100 - 30 * 30);
    expect(kind.hit(some, [15, 15], 4, undefined)).toBe("inside");
    expect(kind.hit(some, [31, 45], 4, undefined)).toBe("line");
    expect(kind.hit(some, [45, 45], 4, undefined)).toBeNull();
    expect(kind.rings(some)).toHaveLength(2);
  });

  test("is moved and stretched with the hole", () => {
    const moved = kind.move(some, [100, 50]);
    expect(kind.hit(moved, [145, 95], 4, undefined)).toBeNull();
    const wider = kind.resize(some, { left: 0, top: 0, right: 200, bottom: 100 });
    expect(kind.measure(wider)).toBe(2 * (100 * 100 - 30 * 30));
    expect(kind.hit(wider, [90, 45], 4, undefined)).toBeNull();
  });
});

test("a hole is gone with its third last point, and its polygon keeps its own", () => {
  const some = withHoles(makePolygon("a", makeSquare(0, 90)), [makeSquare(10, 20)]);
  const kind = getKind(some);
  expect(kind.handles(some, undefined, 7).map(({ name }) => name)[5]).toBe("hole 1, point 2");
  const three = kind.removePoint(some, 5);
  if (!three) throw new Error("the hole needs its points");
  expect(kind.removePoint(three, 4)?.coordinates).toEqual({ points: makeSquare(0, 90) });
  const filled = kind.removePoint(three, 0);
  if (!filled) throw new Error("the polygon needs its points");
  expect(kind.removePoint(filled, 1)).toBeNull();
});

describe("the handle that turns a box", () => {
  const box = makeBox("a", [100, 100, 200, 100]);
  const kind = getKind(box);
  const turn = (to: Point, isSnapping = false) => kind.moveHandle(box, 8, to, isSnapping).coordinates["rotation"];

  test("lies above its upper side, and turns with it", () => {
    expect(kind.handles(box, undefined, 5)[8]).toEqual({ at: [200, 80], name: "rotation", stem: [200, 100] });
    const turned = kind.moveHandle(box, 8, [400, 150]);
    const [x = 0, y = 0] = kind.handles(turned, undefined, 5)[8]?.at ?? [];
    expect([Math.round(x), Math.round(y)]).toEqual([270, 150]);
  });

  test("points to where it is dragged, in steps of 15 degrees with Shift", () => {
    expect(turn([400, 150])).toBeCloseTo(90, 9);
    expect(turn([100, 250])).toBeCloseTo(225, 9);
    expect(turn([200, 0])).toBeUndefined();
    expect(turn([210, 100], true)).toBe(15);
    expect(turn([199, 0], true)).toBeUndefined();
  });
});
