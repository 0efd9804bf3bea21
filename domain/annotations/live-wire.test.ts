import { describe, expect, test } from "vitest";
import { findEdge, findWires, measureCosts, walkBack, type Pixels } from "./live-wire";

const [width, height] = [160, 120];
type Colour = readonly [number, number, number];

/** A picture of which each pixel is asked for, with a little noise that is always the same. */
function draw(colourAt: (x: number, y: number) => Colour, noise = 6): Pixels {
  const data = new Uint8ClampedArray(4 * width * height);
  let seed = 5;
  const random = () => (seed = (seed * 1_664_525 + 1_013_904_223) >>> 0) / 2 ** 32 - 0.5;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const more = noise * random();
      data.set([...colourAt(x, y).map((value) => value + more), 255], 4 * (y * width + x));
    }
  return { data, width, height };
}
const at = (x: number, y: number) => y * width + x;
const trace = (pixels: Pixels, from: [number, number], to: [number, number]) =>
  walkBack(findWires(measureCosts(pixels), width, height, at(...from)), at(...to)).map((pixel): [number, number] => [
    pixel % width,
    Math.floor(pixel / width),
  ]);

const circle = { x: 80, y: 60, radius: 40 };
const away = (x: number, y: number) => Math.abs(Math.hypot(x + 0.5 - circle.x, y + 0.5 - circle.y) - circle.radius);
const isIn = (x: number, y: number) => Math.hypot(x + 0.5 - circle.x, y + 0.5 - circle.y) < circle.radius;

describe("a wire", () => {
  test.each<[string, Colour, Colour]>([
    ["dark on light", [30, 30, 30], [200, 200, 200]],
    ["of low contrast", [110, 110, 110], [134, 134, 134]],
    ["of another colour of the same brightness", [200, 60, 90], [60, 130, 90]],
  ])("follows the edge of a disc %s instead of crossing it", (_name, inside, outside) => {
    const line = trace(
      draw((x, y) => (isIn(x, y) ? inside : outside)),
      [40, 60],
      [80, 20],
    );
    expect(line.length).toBeGreaterThan(45);
    expect(Math.max(...line.map(([x, y]) => away(x, y)))).toBeLessThan(2);
    const middle = line.map(([x, y]) => away(x, y)).toSorted((a, b) => a - b)[Math.floor(line.length / 2)];
    expect(middle).toBeLessThan(1);
  });

  test("follows two sides of a square around its corner", () => {
    const pixels = draw((x, y) => (x >= 50 && x < 110 && y >= 40 && y < 90 ? [220, 220, 40] : [40, 60, 80]));
    const line = trace(pixels, [50, 85], [105, 40]);
    const isOnSide = ([x, y]: [number, number]) => Math.abs(x - 49.5) <= 1.5 || Math.abs(y - 39.5) <= 1.5;
    expect(line.filter((place) => !isOnSide(place))).toEqual([]);
    expect(line.some(([x, y]) => x <= 51 && y <= 41)).toBe(true);
  });

  test("goes straight where there is nothing to follow", () => {
    const line = trace(
      draw(() => [90, 90, 90], 0),
      [10, 50],
      [60, 50],
    );
    expect(line).toHaveLength(51);
    expect(new Set(line.map(([, y]) => y))).toEqual(new Set([50]));
  });

  test("never leaps from one side of the picture to the other", () => {
    const pixels = draw((_, y) => (y < 60 ? [0, 0, 0] : [255, 255, 255]));
    const line = trace(pixels, [2, 59], [157, 59]);
    for (const [index, [x, y]] of line.entries()) {
      const [beforeX, beforeY] = line[index - 1] ?? [x, y];
      expect(Math.max(Math.abs(x - beforeX), Math.abs(y - beforeY))).toBeLessThanOrEqual(1);
    }
  });
});

test("a place near an edge is moved onto it, and one far away stays", () => {
  const costs = measureCosts(draw((x) => (x < 80 ? [20, 20, 20] : [220, 220, 220]), 0));
  expect([79, 80]).toContain(findEdge(costs, width, height, [76, 50], 5) % width);
  expect(findEdge(costs, width, height, [40, 50], 5)).toBe(at(40, 50));
});
