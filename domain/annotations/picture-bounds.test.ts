import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Annotation } from "@/domain/tasks/schema";
import { clipToPicture, getPictureSize, isOfOtherPicture, measureOverhang } from "./picture-bounds";

const size = { width: 64, height: 48 };
/** What sums of doubles may be off. */
const rounding = 1e-9;

type Point = [number, number];
const of = { label: "car", attributes: { seen: true } };
const bbox = (x: number, y: number, width: number, height: number): Annotation => ({
  ...of,
  type: "bbox",
  coordinates: { x, y, width, height, frame: 3 },
});
const line = (type: "polygon" | "polyline" | "keypoints", points: Point[]): Annotation => ({
  ...of,
  type,
  coordinates: { points, frame: 3 },
});
const cuboid: Annotation = {
  ...of,
  type: "cuboid",
  coordinates: { center: [900, -900, 0], size: [1, 1, 1], rotation: [0, 0, 0, 1] },
};
/** A mask of 2 × 2 pixels, all of them in it, in a picture of 64 × 48. */
const mask: Annotation = {
  ...of,
  type: "mask",
  coordinates: { size: [48, 64], box: [10, 20, 2, 2], counts: "04" },
};
const classification: Annotation = { ...of, type: "classification", coordinates: {} };

function listPoints({ type, coordinates }: Annotation): Point[] {
  if (type === "bbox") {
    const { x, y, width, height } = coordinates;
    return [
      [x, y],
      [x + width, y + height],
    ];
  }
  return type === "cuboid" || type === "classification" || type === "mask" ? [] : coordinates.points;
}

const place = fc.double({ min: -100, max: 160, noNaN: true });
const point = fc.tuple(place, place);
const length = fc.double({ min: 0, max: 200, noNaN: true });
const box = fc.tuple(place, place, length, length).map((sides) => bbox(...sides));
const lines = (type: "polygon" | "polyline" | "keypoints", minLength: number) =>
  fc.array(point, { minLength, maxLength: 8 }).map((points) => line(type, points));
const shape = fc.oneof(box, lines("polygon", 3), lines("polyline", 2), lines("keypoints", 1));

/** Whether a place is in an area, by the number of borders to its right. */
const holds = (points: readonly Point[], [x, y]: Point): boolean =>
  points.filter((to, at) => {
    const from = points.at(at - 1) ?? to;
    return from[1] > y !== to[1] > y && x < from[0] + ((y - from[1]) / (to[1] - from[1])) * (to[0] - from[0]);
  }).length %
    2 ===
  1;

/** How far a place is from a line of several parts. */
const distanceTo = (points: readonly Point[], [x, y]: Point): number =>
  Math.min(
    ...points.slice(1).map((to, at) => {
      const from = points[at] ?? to;
      const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
      const along = Math.max(0, Math.min(1, ((x - from[0]) * dx + (y - from[1]) * dy) / (dx * dx + dy * dy || 1)));
      return Math.hypot(x - from[0] - along * dx, y - from[1] - along * dy);
    }),
  );

const inside = fc.tuple(
  fc.double({ min: 0.01, max: size.width - 0.01, noNaN: true }),
  fc.double({ min: 0.01, max: size.height - 0.01, noNaN: true }),
);

describe("a shape clipped to its picture", () => {
  test("sticks out nowhere, and keeps what else it says", () => {
    fc.assert(
      fc.property(shape, (given) => {
        const clipped = clipToPicture(given, size);
        if (clipped === null) return;
        expect(measureOverhang(clipped, size)).toBeLessThanOrEqual(rounding);
        expect(clipped).toMatchObject({ ...of, type: given.type, coordinates: { frame: 3 } });
      }),
    );
  });

  test("is the same object where it sticks out nowhere", () => {
    fc.assert(fc.property(shape, (given) => measureOverhang(given, size) > 0 || clipToPicture(given, size) === given));
    for (const given of [cuboid, classification, mask]) expect(clipToPicture(given, size)).toBe(given);
  });

  test("has nothing inside where it is a mask of another picture", () => {
    expect(isOfOtherPicture(mask, size)).toBe(false);
    expect(clipToPicture(mask, { ...size, width: size.width + 1 })).toBeNull();
  });

  test("has its holes clipped, without those that lie outside", () => {
    const ring: [number, number][] = [
      [0, 0],
      [size.width, 0],
      [size.width, size.height],
      [0, size.height],
    ];
    const cut: [number, number][] = [
      [-10, 5],
      [10, 5],
      [10, 15],
      [-10, 15],
    ];
    const outside: [number, number][] = [
      [-20, 0],
      [-10, 0],
      [-10, 5],
    ];
    const given: Annotation = { ...of, type: "polygon", coordinates: { points: ring, holes: [cut, outside] } };
    const clipped = clipToPicture(given, size);
    expect(clipped?.coordinates).toMatchObject({ points: ring });
    const [hole, ...others] = (clipped?.coordinates.holes ?? []) as [number, number][][];
    expect(others).toEqual([]);
    expect(hole?.toSorted(([x, y], [toX, toY]) => x - toX || y - toY)).toEqual([
      [0, 5],
      [0, 15],
      [10, 5],
      [10, 15],
    ]);
  });

  test("has all its points, none of them moved further than it stuck out, where that was a pixel at most", () => {
    const near = fc.tuple(
      fc.double({ min: -1, max: size.width + 1, noNaN: true }),
      fc.double({ min: -1, max: size.height + 1, noNaN: true }),
    );
    const shapes = fc
      .tuple(fc.constantFrom("polygon", "polyline", "keypoints"), fc.array(near, { minLength: 3, maxLength: 8 }))
      .map(([type, points]) => line(type, points));
    const boxes = fc
      .tuple(near, near)
      .map(([[x, y], [right, bottom]]) =>
        bbox(Math.min(x, right), Math.min(y, bottom), Math.abs(right - x), Math.abs(bottom - y)),
      );
    fc.assert(
      fc.property(fc.oneof(shapes, boxes), (given) => {
        const overhang = measureOverhang(given, size);
        fc.pre(overhang <= 1);
        const clipped = clipToPicture(given, size);
        const [before, after] = [listPoints(given), clipped === null ? [] : listPoints(clipped)];
        expect(after).toHaveLength(before.length);
        for (const [at, [x, y]] of after.entries()) {
          const [fromX, fromY] = before[at] ?? [Number.NaN, Number.NaN];
          expect(Math.max(Math.abs(x - fromX), Math.abs(y - fromY))).toBeLessThanOrEqual(overhang + rounding);
        }
      }),
    );
  });

  test("covers the same places of the picture, as a box", () => {
    fc.assert(
      fc.property(box, inside, (given, [x, y]) => {
        const covers = (annotation: Annotation | null) => {
          const [[left, top] = [0, 0], [right, bottom] = [0, 0]] = annotation === null ? [] : listPoints(annotation);
          return left < x && x < right && top < y && y < bottom;
        };
        expect(covers(clipToPicture(given, size))).toBe(covers(given));
      }),
    );
  });

  test("covers the same places of the picture, as a polygon", () => {
    fc.assert(
      fc.property(lines("polygon", 3), inside, (given, at) => {
        const points = listPoints(given);
        fc.pre(distanceTo([...points, ...points.slice(0, 1)], at) > 1e-6 && measureOverhang(given, size) > 1);
        const clipped = clipToPicture(given, size);
        expect(clipped !== null && holds(listPoints(clipped), at)).toBe(holds(points, at));
      }),
      { numRuns: 1_000 },
    );
  });

  test("passes all places of the picture that it passed, as a line", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(lines("polyline", 2), fc.nat(), share, (given, number, along) => {
        const points = listPoints(given);
        const part = number % (points.length - 1);
        const [[fromX, fromY] = [0, 0], [toX, toY] = [0, 0]] = points.slice(part);
        const at: Point = [fromX + along * (toX - fromX), fromY + along * (toY - fromY)];
        fc.pre(at[0] > 0 && at[1] > 0 && at[0] < size.width && at[1] < size.height);
        fc.pre(measureOverhang(given, size) > 1);
        const clipped = clipToPicture(given, size);
        expect(clipped === null ? Infinity : distanceTo(listPoints(clipped), at)).toBeLessThan(1e-6);
      }),
    );
  });

  test.each([
    ["a box beside it", bbox(70, 0, 20, 48)],
    ["a box that ends at its border", bbox(-20, 0, 20, 48)],
    [
      "a polygon that touches it",
      line("polygon", [
        [64, 0],
        [80, 0],
        [64, 20],
      ]),
    ],
    [
      "a polygon around a corner of it",
      line("polygon", [
        [-20, 9],
        [-20, -20],
        [9, -20],
      ]),
    ],
    [
      "a line around a corner of it",
      line("polyline", [
        [-20, 9],
        [9, -20],
      ]),
    ],
    [
      "key points that are all beside it",
      line("keypoints", [
        [70, 5],
        [5, 60],
      ]),
    ],
  ] as const)("is nothing where nothing of it is inside: %s", (_, given) => {
    expect(clipToPicture(given, size)).toBeNull();
  });

  test("may have absent key points anywhere", () => {
    const skeleton = (points: Point[], visibility: (0 | 1 | 2)[]): Annotation => ({
      ...of,
      type: "keypoints",
      coordinates: { points, visibility },
    });
    const absent = skeleton(
      [
        [3, 4],
        [-500, 900],
      ],
      [2, 0],
    );
    expect(measureOverhang(absent, size)).toBe(0);
    expect(clipToPicture(absent, size)).toBe(absent);
    const onlyAbsentInside = skeleton(
      [
        [200, 4],
        [0, 0],
      ],
      [1, 0],
    );
    expect(measureOverhang(onlyAbsentInside, size)).toBe(136);
    expect(clipToPicture(onlyAbsentInside, size)).toBeNull();
  });

  test("keeps the number and order of key points", () => {
    const clipped = clipToPicture(
      line("keypoints", [
        [90, -5],
        [3, 4],
        [-1, 60],
      ]),
      size,
    );
    expect(clipped?.coordinates).toMatchObject({
      points: [
        [64, 0],
        [3, 4],
        [0, 48],
      ],
    });
  });

  test("is finite however far away its points are", () => {
    const far = Number.MAX_VALUE;
    for (const given of [
      bbox(-far, -far, far, far),
      bbox(-1, -far, far, far),
      line("polygon", [
        [-far, -far],
        [far, -far],
        [far, far],
        [-far, far],
      ]),
      line("polyline", [
        [-far, 10],
        [far, 10],
      ]),
      line("keypoints", [
        [5, 5],
        [far, -far],
      ]),
    ])
      for (const value of listPoints(clipToPicture(given, size) ?? classification).flat())
        expect(Number.isFinite(value)).toBe(true);
  });
});

test("only pictures whose size is known have one", () => {
  expect(getPictureSize("image/png", { width: 64, height: 48 })).toEqual(size);
  expect(getPictureSize("image/png", {})).toBeNull();
  expect(getPictureSize("image/png", { width: "64", height: 48 })).toBeNull();
  expect(getPictureSize("image/png", { width: 0, height: 48 })).toBeNull();
  // The width of a cloud counts points, and a video may be shown turned.
  expect(getPictureSize("pointcloud/pcd", { width: 64, height: 48 })).toBeNull();
  expect(getPictureSize("video/mp4", { width: 64, height: 48 })).toBeNull();
});
