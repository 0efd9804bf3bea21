import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  areTouching,
  boundPoints,
  boxBetween,
  findNearestEdge,
  findNearestPoint,
  findSnap,
  insertPoint,
  isInArea,
  isWithin,
  limitMove,
  measureArea,
  measureDistance,
  moveInto,
  movePoints,
  removePoint,
  replacePoint,
  scalePoints,
  simplify,
  toBounds,
  widen,
  type Point,
} from "./geometry";
import { listCorners } from "./rotated-box";

const picture = { width: 3_840, height: 2_160 };
const all = toBounds({ x: 0, y: 0, ...picture });
const number = fc.double({ min: -5_000, max: 5_000, noNaN: true });
const whole = fc.integer({ min: -50, max: 50 });
const point: fc.Arbitrary<Point> = fc.tuple(number, number);
const points = fc.array(point, { minLength: 1, maxLength: 40 });
const ring = fc.array(point, { minLength: 3, maxLength: 30 });

describe("bounds", () => {
  test("hold all points, and each side touches one", () => {
    fc.assert(
      fc.property(points, (some) => {
        const bounds = boundPoints(some);
        if (!bounds) throw new Error("no bounds");
        expect(some.every((each) => isWithin(each, bounds))).toBe(true);
        expect(some.some(([x]) => x === bounds.left) && some.some(([, y]) => y === bounds.bottom)).toBe(true);
      }),
    );
    expect(boundPoints([])).toBeNull();
  });

  test("touch in both orders, also at a side only", () => {
    fc.assert(
      fc.property(points, points, (some, others) => {
        const [a, b] = [boundPoints(some), boundPoints(others)];
        if (!a || !b) throw new Error("no bounds");
        expect(areTouching(a, b)).toBe(areTouching(b, a));
        expect(areTouching(a, widen(a, 1))).toBe(true);
      }),
    );
  });
});

describe("a box", () => {
  test("between two points is the same in both orders, and has them as corners", () => {
    fc.assert(
      fc.property(point, point, (from, to) => {
        const box = boxBetween(from, to);
        expect(boxBetween(to, from)).toEqual(box);
        const bounds = boundPoints(listCorners(box));
        for (const corner of [from, to]) expect(bounds && isWithin(corner, widen(bounds, 1e-6))).toBe(true);
      }),
    );
  });
});

describe("moving", () => {
  test("keeps what is inside the picture inside it, and moves no other way than asked", () => {
    const inside = fc.array(point, { minLength: 1, maxLength: 9 }).map((some) => some.map((p) => moveInto(p, picture)));
    fc.assert(
      fc.property(inside, point, (some, by) => {
        const bounds = boundPoints(some);
        if (!bounds) throw new Error("no bounds");
        const move = limitMove(bounds, by, picture);
        expect(movePoints(some, move).every((moved) => isWithin(moved, widen(all, 1e-6)))).toBe(true);
        expect(Math.abs(move[0])).toBeLessThanOrEqual(Math.abs(by[0]));
        expect(move[1] * by[1]).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test("does not pull back by itself what already sticks out", () => {
    expect(limitMove({ left: -50, top: 10, right: 20, bottom: 20 }, [0, 0], picture)).toEqual([0, 0]);
    expect(limitMove({ left: -50, top: 10, right: 20, bottom: 20 }, [30, 0], picture)).toEqual([30, 0]);
  });
});

describe("resizing", () => {
  test("brings points into the new bounds, and back again", () => {
    fc.assert(
      fc.property(
        ring,
        point,
        fc.tuple(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 1, max: 900 })),
        (some, at, [width, height]) => {
          const from = boundPoints(some);
          if (!from || from.right - from.left < 1 || from.bottom - from.top < 1) return;
          const to = toBounds({ x: at[0], y: at[1], width, height });
          const scaled = scalePoints(some, from, to);
          expect(scaled.every((each) => isWithin(each, widen(to, 1e-6)))).toBe(true);
          scalePoints(scaled, to, from).forEach((back, index) => {
            expect(measureDistance(back, some[index] ?? [0, 0])).toBeLessThan(1e-3);
          });
        },
      ),
    );
  });

  test("leaves what has no width a point", () => {
    expect(
      scalePoints(
        [
          [5, 0],
          [5, 10],
        ],
        { left: 5, right: 5, top: 0, bottom: 10 },
        { left: 7, right: 7, top: 0, bottom: 20 },
      ),
    ).toEqual([
      [7, 0],
      [7, 20],
    ]);
  });
});

describe("the nearest", () => {
  test("edge is not farther than any point, and its point lies on it", () => {
    fc.assert(
      fc.property(point, ring, fc.boolean(), (place, some, isClosed) => {
        const nearest = findNearestEdge(place, some, isClosed);
        if (!nearest) throw new Error("no edge");
        expect(nearest.distance).toBeLessThanOrEqual(
          Math.min(...some.map((each) => measureDistance(place, each))) + 1e-6,
        );
        expect(findNearestEdge(nearest.point, some, isClosed)?.distance).toBeLessThan(1e-6);
        expect(nearest.at).toBeLessThan(isClosed ? some.length : some.length - 1);
      }),
    );
  });

  test("point is within the distance, or there is none", () => {
    fc.assert(
      fc.property(point, points, fc.integer({ min: 0, max: 3_000 }), (place, some, within) => {
        const at = findNearestPoint(place, some, within);
        const least = Math.min(...some.map((each) => measureDistance(place, each)));
        if (at === null) expect(least).toBeGreaterThan(within);
        else expect(measureDistance(place, some[at] ?? [0, 0])).toBe(least);
      }),
    );
  });
});

describe("an area", () => {
  test("of a box is its width by its height, in either direction and from any corner", () => {
    const box = fc.record({
      x: number,
      y: number,
      width: fc.integer({ min: 1, max: 900 }),
      height: fc.integer({ min: 1, max: 900 }),
    });
    fc.assert(
      fc.property(box, fc.integer({ min: 0, max: 3 }), (some, turn) => {
        const corners = listCorners(some);
        const turned = [...corners.slice(turn), ...corners.slice(0, turn)];
        expect(measureArea(turned)).toBeCloseTo(some.width * some.height, 4);
        expect(measureArea(turned.toReversed())).toBeCloseTo(some.width * some.height, 4);
      }),
    );
  });

  test("holds the points that its triangles hold, an odd number of times", () => {
    fc.assert(
      fc.property(
        fc.tuple(whole, whole),
        fc.array(fc.tuple(whole, whole), { minLength: 3, maxLength: 30 }),
        (at, some) => {
          // Between the points of a grid, so that hardly a place lies on a line, where rounding decides.
          const place: Point = [at[0] + 0.5, at[1] + 0.3];
          const [origin] = some;
          if (!origin) throw new Error("no point");
          const side = (a: Point, b: Point, c: Point) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
          let count = 0;
          for (let at = 1; at + 1 < some.length; at++) {
            const [a, b] = [some[at] ?? origin, some[at + 1] ?? origin];
            const signs = [side(origin, a, place), side(a, b, place), side(b, origin, place)];
            if (side(origin, a, b) === 0) continue;
            if (signs.some((sign) => Math.abs(sign) < 1e-3)) return fc.pre(false);
            if (signs.every((sign) => sign > 0) || signs.every((sign) => sign < 0)) count += 1;
          }
          expect(isInArea(place, some)).toBe(count % 2 === 1);
        },
      ),
    );
  });
});

describe("points", () => {
  test("that are put in and taken out again leave the line as it was", () => {
    fc.assert(
      fc.property(ring, point, fc.nat(), (some, added, seed) => {
        const at = seed % some.length;
        const longer = insertPoint(some, at, added);
        expect(longer[at + 1]).toEqual([...added]);
        expect(removePoint(longer, at + 1)).toEqual(some.map((each) => [...each]));
        expect(replacePoint(some, at, added)).toHaveLength(some.length);
      }),
    );
  });

  test("that a simpler line leaves out lie within the tolerance of it; its ends stay, and no tolerance changes nothing", () => {
    fc.assert(
      fc.property(ring, fc.integer({ min: 1, max: 800 }), (some, tolerance) => {
        const simple = simplify(some, tolerance);
        expect(simple[0]).toEqual([...(some[0] ?? [])]);
        expect(simple.at(-1)).toEqual([...(some.at(-1) ?? [])]);
        for (const each of some)
          expect(findNearestEdge(each, simple, false)?.distance ?? 0).toBeLessThanOrEqual(tolerance + 1e-6);
        expect(simplify(simple, tolerance).length).toBeLessThanOrEqual(simple.length);
      }),
    );
  });
});

describe("snapping", () => {
  const outlines = fc.array(fc.record({ points: ring, isClosed: fc.boolean() }), { maxLength: 5 });

  test("leads to a point of an outline within the distance, rather than to an edge", () => {
    fc.assert(
      fc.property(point, outlines, fc.integer({ min: 1, max: 400 }), (place, some, within) => {
        const snap = findSnap(place, some, within);
        const corners = some.flatMap((each) => [...each.points]);
        const least = Math.min(Infinity, ...corners.map((corner) => measureDistance(place, corner)));
        if (snap) expect(measureDistance(place, snap)).toBeLessThanOrEqual(within);
        if (least <= within) expect(snap && measureDistance(place, snap)).toBe(least);
        const isNear = some.some(
          (each) => (findNearestEdge(place, each.points, each.isClosed)?.distance ?? 1e9) <= within,
        );
        expect(snap !== null).toBe(isNear || least <= within);
      }),
    );
  });
});
