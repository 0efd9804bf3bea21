import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toRuns } from "@/domain/masks/fill";
import { toCoordinates } from "@/domain/masks/mask-figure";
import type { StoredAnnotation } from "@/domain/tasks/schema";
import { pairAnnotations, type ShapePair } from "./compare";
import { type Box } from "./geometry";
import { measureOverlap } from "./overlap";
import { listCorners } from "./rotated-box";

const label = fc.constantFrom("car", "person", "sign");
const at = fc.integer({ min: 0, max: 60 });
const side = fc.integer({ min: 0, max: 40 });
const point = fc.tuple(at, at);
const attributes = fc.record(
  {
    id: fc.constantFrom("1", "2", "3", "4", "5"),
    color: fc.constantFrom("red", "blue"),
    score: fc.double({ noNaN: true }),
  },
  { requiredKeys: [] },
);
const box = fc.record({ x: at, y: at, width: side, height: side });
const shape = (type: string, coordinates: fc.Arbitrary<object>): fc.Arbitrary<StoredAnnotation> =>
  fc.record({ type: fc.constant(type), label, attributes, coordinates: coordinates.map((each) => ({ ...each })) });
const annotation = fc.oneof(
  shape("bbox", box),
  shape("polygon", fc.record({ points: fc.array(point, { minLength: 3, maxLength: 6 }) })),
  shape("polyline", fc.record({ points: fc.array(point, { minLength: 2, maxLength: 4 }) })),
  shape("keypoints", fc.record({ points: fc.array(point, { minLength: 1, maxLength: 3 }) })),
  shape("classification", fc.constant({})),
  shape("bbox", fc.constant({ anything: "stored by an older version" })),
);
const set = fc.array(annotation, { maxLength: 12 });

const places = (pairs: readonly ShapePair[], side: "a" | "b") =>
  pairs.flatMap((pair) => pair[side] ?? []).toSorted((a, b) => a - b);

test("every shape of both sets is in exactly one pair, and what stands alone is missing in the other", () => {
  fc.assert(
    fc.property(set, set, (a, b) => {
      const pairs = pairAnnotations(a, b);
      expect(places(pairs, "a")).toEqual([...a.keys()]);
      expect(places(pairs, "b")).toEqual([...b.keys()]);
      for (const pair of pairs) {
        const isAlone = pair.a === null || pair.b === null;
        expect([pair.iou === null, pair.differs.includes("missing")]).toEqual([isAlone, isAlone]);
        if (pair.iou !== null) expect(pair.iou >= 0 && pair.iou <= 1).toBe(true);
      }
    }),
  );
});

test("a set has no differences to itself, in whatever order, and none to itself without ids", () => {
  const distinct = fc.uniqueArray(annotation, { maxLength: 12, selector: ({ attributes: { id } }) => id ?? {} });
  const shuffled = distinct.chain((a) => fc.tuple(fc.constant(a), fc.shuffledSubarray(a, { minLength: a.length })));
  const hasSame = (a: StoredAnnotation, b: StoredAnnotation) => {
    const [of, other] = [a, b].map(({ attributes: { id: _, score: __, ...rest }, ...each }) =>
      JSON.stringify({ ...each, rest }),
    );
    return of === other;
  };
  fc.assert(
    fc.property(shuffled, ([a, b]) => {
      const anonymous = b.map((each) => ({ ...each, attributes: { ...each.attributes, id: undefined } }));
      for (const other of [b, anonymous])
        for (const pair of pairAnnotations(a, other)) expect(pair.iou, JSON.stringify([pair, a, other])).toBe(1);
      for (const pair of pairAnnotations(a, b)) {
        const [one, two] = [a[pair.a ?? -1], b[pair.b ?? -1]];
        if (one && two && hasSame(one, two)) expect(pair.differs).toEqual([]);
      }
    }),
  );
});

test("shapes with the same id are a pair wherever they went, and whatever they became", () => {
  fc.assert(
    fc.property(annotation, annotation, set, set, (one, two, a, b) => {
      const named = (each: StoredAnnotation) => ({ ...each, attributes: { ...each.attributes, id: "same" } });
      const pairs = pairAnnotations([...a, named(one)], [named(two), ...b]);
      expect(pairs.find((pair) => pair.a === a.length)?.b).toBe(0);
    }),
  );
});

test("no two boxes of a label stand alone that overlap by a tenth or more", () => {
  const boxes = fc.array(
    box.map((coordinates): StoredAnnotation & { coordinates: Box } => ({
      type: "bbox",
      label: "car",
      attributes: {},
      coordinates,
    })),
    {
      maxLength: 10,
    },
  );
  fc.assert(
    fc.property(boxes, boxes, (a, b) => {
      const alone = pairAnnotations(a, b).filter(({ differs }) => differs.includes("missing"));
      const [left, right] = [
        alone.flatMap((each) => a[each.a ?? -1] ?? []),
        alone.flatMap((each) => b[each.b ?? -1] ?? []),
      ];
      for (const one of left)
        for (const other of right)
          expect(measureOverlap([listCorners(one.coordinates)], [listCorners(other.coordinates)])).toBeLessThan(0.1);
    }),
  );
});

const car = (x: number, more: Partial<StoredAnnotation> = {}): StoredAnnotation => ({
  label: "car",
  type: "bbox",
  coordinates: { x, y: 0, width: 100, height: 100 },
  attributes: {},
  ...more,
});

test.each<[string, StoredAnnotation, StoredAnnotation, { iou: number; differs: ShapePair["differs"] }]>([
  ["moved by 20 pixels", car(0), car(20), { iou: 80 / 120, differs: ["place"] }],
  ["moved by what nobody sees", car(0), car(0.4), { iou: 1, differs: [] }],
  ["given another label", car(0), car(0, { label: "van" }), { iou: 1, differs: ["label"] }],
  ["given an attribute", car(0), car(0, { attributes: { color: "red" } }), { iou: 1, differs: ["attributes"] }],
  ["scored otherwise", car(0), car(0, { attributes: { score: 0.5, source: "model" } }), { iou: 1, differs: [] }],
  [
    "moved, renamed and described",
    car(0, { attributes: { id: "1" } }),
    car(300, { label: "van", attributes: { id: "1", color: "red" } }),
    { iou: 0, differs: ["label", "place", "attributes"] },
  ],
  [
    "redrawn as a polygon",
    car(0),
    car(0, {
      type: "polygon",
      coordinates: {
        points: [
          [0, 0],
          [100, 0],
          [100, 100],
          [0, 100],
        ],
      },
    }),
    { iou: 1, differs: ["place"] },
  ],
])("a shape that was %s is one pair with what differs", (_, a, b, expected) => {
  const pairs = pairAnnotations([a], [b]);
  const iou: unknown = expect.closeTo(expected.iou, 9);
  expect(pairs).toEqual([{ a: 0, b: 0, iou, differs: expected.differs }]);
});

test.each<[string, StoredAnnotation, StoredAnnotation]>([
  ["far apart", car(0), car(200)],
  ["of other labels, and mostly apart", car(0), car(60, { label: "person" })],
  ["of other frames", car(0), car(0, { coordinates: { x: 0, y: 0, width: 100, height: 100, frame: 1 } })],
  [
    "a tag and another tag",
    car(0, { type: "classification", coordinates: {} }),
    car(0, { type: "classification", coordinates: {}, label: "night" }),
  ],
])("shapes are not one that are %s", (_, a, b) => {
  expect(pairAnnotations([a], [b])).toEqual([
    { a: 0, b: null, iou: null, differs: ["missing"] },
    { a: null, b: 0, iou: null, differs: ["missing"] },
  ]);
});

test("two crowds of areas at one place are compared without measuring each with each", () => {
  const crowd = (shift: number) =>
    Array.from({ length: 4_000 }, (_, index) => {
      const x = shift + index / 1_000;
      const points = [x, x + 50, x + 90].map((each, at) => [each, at === 1 ? 80 : index / 900]);
      return car(x, index % 2 ? {} : { type: "polygon", coordinates: { points } });
    });
  const pairs = pairAnnotations(crowd(0), crowd(0.0005));
  expect([places(pairs, "a").length, places(pairs, "b").length]).toEqual([4_000, 4_000]);
});

describe("masks", () => {
  const square = (low: number, high: number): [number, number][] => [
    [low, low],
    [high, low],
    [high, high],
    [low, high],
  ];
  const mark = (type: string, coordinates: object): StoredAnnotation => ({
    label: "car",
    type,
    coordinates: { ...coordinates },
    attributes: {},
  });
  const mask = (...rings: [number, number][][]): StoredAnnotation => {
    const picture = { width: 300, height: 200 };
    const filled = toRuns(rings, picture);
    if (!filled) throw new Error("no pixels");
    return mark("mask", toCoordinates(filled.box, filled.runs, picture));
  };

  test("are the same thing by their common pixels", () => {
    const [before, after] = [mask(square(0, 100)), mask(square(0, 100), square(0, 50))];
    expect(pairAnnotations([before], [after])).toEqual([{ a: 0, b: 0, iou: 0.75, differs: ["place"] }]);
    expect(pairAnnotations([before], [mask(square(0, 100))])).toEqual([{ a: 0, b: 0, iou: 1, differs: [] }]);
    expect(pairAnnotations([before], [mask(square(100, 200))])).toHaveLength(2);
  });

  test("may have been polygons, whose holes count", () => {
    const polygon = mark("polygon", { points: square(0, 100), holes: [square(0, 50)] });
    expect(pairAnnotations([polygon], [mask(square(0, 100), square(0, 50))])).toEqual([
      { a: 0, b: 0, iou: 1, differs: ["place"] },
    ]);
    const whole = mark("polygon", { points: square(0, 100) });
    expect(pairAnnotations([polygon], [whole])).toEqual([{ a: 0, b: 0, iou: 0.75, differs: ["place"] }]);
  });
});
