import { describe, expect, test } from "vitest";
import { formatRuns, parseRuns } from "@/domain/masks/run-lengths";
import { Annotation } from "@/domain/tasks/schema";
import { scaleAnnotation } from "./scale";

const small = { width: 64, height: 48 };
const twice = { width: 128, height: 96 };
const wide = { width: 128, height: 48 };
const make = (type: string, coordinates: object) => Annotation.parse({ label: "car", type, coordinates });

describe("an annotation of a picture of another size", () => {
  test("is at the same place of it", () => {
    const box = make("bbox", { x: 1, y: 2, width: 3, height: 4 });
    expect(scaleAnnotation(box, small, wide)?.coordinates).toEqual({ x: 2, y: 2, width: 6, height: 4 });
    const triangle: [number, number][] = [
      [0, 0],
      [10, 0],
      [10, 8],
    ];
    const doubled = triangle.map(([x, y]) => [x * 2, y * 2]);
    expect(
      scaleAnnotation(make("polygon", { points: triangle, holes: [triangle] }), small, twice)?.coordinates,
    ).toEqual({
      points: doubled,
      holes: [doubled],
    });
    const points = make("keypoints", { points: triangle, visibility: [2, 1, 0] });
    expect(scaleAnnotation(points, small, twice)?.coordinates).toEqual({ points: doubled, visibility: [2, 1, 0] });
  });

  test("stays a turned box only where it is not stretched", () => {
    const turned = make("bbox", { x: 1, y: 2, width: 3, height: 4, rotation: 30 });
    expect(scaleAnnotation(turned, small, wide)).toBeNull();
    expect(scaleAnnotation(turned, small, twice)?.coordinates).toMatchObject({ x: 2, width: 6, rotation: 30 });
  });

  test("is a mask of as many times its pixels, and back the same mask", () => {
    const counts = formatRuns([0, 5, 2, 5]);
    const mask = make("mask", { size: [48, 64], box: [20, 10, 4, 3], counts });
    const large = scaleAnnotation(mask, small, twice);
    if (large?.type !== "mask") throw new Error("no mask");
    expect(large.coordinates).toMatchObject({ size: [96, 128], box: [40, 20, 8, 6] });
    const area = (parseRuns(large.coordinates.counts) ?? []).reduce((sum, run, at) => sum + (at % 2) * run, 0);
    expect(area).toBe(40);
    expect(scaleAnnotation(large, twice, small)?.coordinates).toEqual(mask.coordinates);
    expect(Annotation.safeParse(large).success).toBe(true);
  });

  test("is none where nothing of a mask is left", () => {
    const dot = make("mask", { size: [4_000, 4_000], box: [1, 1, 1, 1], counts: formatRuns([0, 1]) });
    expect(scaleAnnotation(dot, { width: 4_000, height: 4_000 }, { width: 4, height: 4 })).toBeNull();
  });
});
