import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DraftShape } from "@/domain/annotations/draft-schema";
import { isWithin, toBounds, widen, type Point } from "@/domain/annotations/geometry";
import { makeBox, makePolygon } from "../testing/drafts-of-tests";
import { getKind } from "./shape-kinds";

const at = fc.integer({ min: 0, max: 900 });
const points = (minLength: number) => fc.array(fc.tuple(at, at), { minLength, maxLength: 12 });
const members = { id: "k", label_id: "person", attributes: {}, position: 0 };
const side = fc.integer({ min: 1, max: 300 });
const shape: fc.Arbitrary<DraftShape> = fc.oneof(
  fc.tuple(at, at, side, side).map((box) => makeBox("k", box)),
  points(3).map((some) => makePolygon("k", some)),
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
        const handles = kind.handles(some, undefined);
        const handle = seed % handles.length;
        const moved = kind.moveHandle(some, handle, [x, y]);
        // Those in the middle of a side of a box move in one direction only.
        const isCorner = some.type !== "bbox" || handle % 2 === 0;
        const reached = kind.handles(moved, undefined).some((each) => each.at[0] === x && each.at[1] === y);
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
        const added = kind.handles(longer, undefined).findIndex((each, index) => {
          const before = kind.handles(some, undefined)[index]?.at;
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
])("a shape is described in a line: %#", (some, text) => {
  expect(getKind(some).describe(some)).toBe(text);
});

test("a corner of a turned box goes where it is dragged while the opposite one stays", () => {
  const turned = makeBox("a", [100, 100, 200, 100]);
  if (turned.type !== "bbox") throw new Error("no box");
  const box = { ...turned, coordinates: { ...turned.coordinates, rotation: 30 } };
  const kind = getKind(box);
  const [topLeft] = kind.handles(box, undefined);
  const after = kind.handles(kind.moveHandle(box, 4, [400, 300]), undefined);
  expect(after[4]?.at.map((value) => Math.round(value))).toEqual([400, 300]);
  expect(after[0]?.at.map((value) => value.toFixed(6))).toEqual(topLeft?.at.map((value) => value.toFixed(6)));
  expect(kind.describe(box)).toBe("200 by 100 at 100, 100, turned by 30°");
});
