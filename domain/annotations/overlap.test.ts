import fc from "fast-check";
import { expect, test } from "vitest";
import { type Box, type Point } from "./geometry";
import { measureOverlap } from "./overlap";
import { listCorners } from "./rotated-box";

const side = fc.integer({ min: 1, max: 400 });
const at = fc.integer({ min: 0, max: 500 });
const box = fc.record({ x: at, y: at, width: side, height: side });
const ring: fc.Arbitrary<Point[]> = fc.array(fc.tuple(at, at), { minLength: 3, maxLength: 20 });

const overlapBoxes = (a: Box, b: Box): number => {
  const width = Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x));
  const height = Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));
  return (width * height) / (a.width * a.height + b.width * b.height - width * height);
};

test("boxes overlap by the share of their common area", () => {
  fc.assert(
    fc.property(box, box, (a, b) => {
      expect(measureOverlap([listCorners(a)], [listCorners(b)])).toBeCloseTo(overlapBoxes(a, b), 9);
    }),
  );
});

test("an overlap is the same in both orders, between 0 and 1, and 1 of an area with itself", () => {
  fc.assert(
    fc.property(ring, ring, (a, b) => {
      const overlap = measureOverlap([a], [b]);
      expect(overlap).toBeGreaterThanOrEqual(0);
      expect(overlap).toBeLessThanOrEqual(1);
      expect(measureOverlap([b], [a])).toBeCloseTo(overlap, 9);
      expect([0, 1]).toContain(Number(measureOverlap([a], [a]).toFixed(9)));
    }),
  );
});

const circle = (count: number, radius: number, x = 1_000): Point[] =>
  Array.from({ length: count }, (_, at) => {
    const angle = (at / count) * 2 * Math.PI;
    return [x + radius * Math.cos(angle), 1_000 + radius * Math.sin(angle)];
  });

test("slanting sides are measured to a hundredth, with few points and with ten thousand", () => {
  expect(measureOverlap([circle(60, 100)], [circle(60, 200)])).toBeCloseTo(0.25, 2);
  expect(measureOverlap([circle(5_000, 100)], [circle(5_000, 200)])).toBeCloseTo(0.25, 2);
  expect(measureOverlap([circle(5_000, 100)], [circle(60, 100, 1_300)])).toBe(0);
});
