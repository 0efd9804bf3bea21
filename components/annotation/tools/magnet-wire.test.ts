import { expect, test } from "vitest";
import { measureDistance, simplify, type Point } from "@/domain/annotations/geometry";
import { findEdge, findWires, measureCosts } from "@/domain/annotations/live-wire";
import { aim, Wire } from "./magnet-wire";
import type { WireRequest, Wires } from "./magnet.worker";

const picture = { url: "/picture", width: 2_000, height: 1_500 };
const circle = { x: 1_000, y: 700, radius: 150 };

/** What the thread makes of a picture of a dark disc. */
async function trace({ x, y, width, height, scale, seed, within }: WireRequest): Promise<Wires> {
  const [across, down] = [Math.round(width * scale), Math.round(height * scale)];
  const data = new Uint8ClampedArray(4 * across * down);
  for (let row = 0; row < down; row++)
    for (let column = 0; column < across; column++) {
      const place: Point = [x + (column + 0.5) / scale, y + (row + 0.5) / scale];
      data.fill(measureDistance(place, [circle.x, circle.y]) < circle.radius ? 40 : 200, 4 * (row * across + column));
    }
  const costs = new Uint8Array(measureCosts({ data, width: across, height: down }));
  const start = within > 0 ? findEdge(costs, across, down, seed, within) : seed[1] * across + seed[0];
  return {
    width: across,
    height: down,
    costs,
    seed: start,
    before: new Int32Array(findWires(costs, across, down, start)),
  };
}
async function begin(from: Point, scale: number, isFirst = true) {
  const wire = new Wire(from, aim(picture, from, scale, isFirst), trace);
  await wire.settled;
  return wire;
}
const away = (place: Point) => Math.abs(measureDistance(place, [circle.x, circle.y]) - circle.radius);

test.each([1, 0.5, 3])("follows an edge at %d pixels of the screen for one of the picture", async (scale) => {
  const wire = await begin([847, 700], scale);
  expect(away(wire.start)).toBeLessThan(1.5 / Math.min(1, scale));
  const line = wire.lead([1_003, 548], false);
  expect(line[0]).toEqual(wire.start);
  expect(Math.max(...line.map(away))).toBeLessThan(2 / Math.min(1, scale));
  const simple = simplify(line, wire.tolerance);
  expect(simple.length).toBeLessThan(line.length / 4);
  expect(Math.max(...simple.map(away))).toBeLessThan(2 / Math.min(1, scale));
});

test("a line that is to end at a place ends there, and one that goes on begins where the last one ended", async () => {
  const wire = await begin([851.25, 700.5], 1, false);
  const line = wire.lead([1_003.5, 548.75], true);
  expect([line[0], line.at(-1)]).toEqual([
    [851.25, 700.5],
    [1_003.5, 548.75],
  ]);
});

test("what is looked at lies in the picture, with its beginning in it; outside of it lines are straight", async () => {
  const request = aim(picture, [3, 1_499], 1, true);
  expect(request).toMatchObject({ x: 0, y: 988, width: 512, height: 512, seed: [3, 511] });
  expect(aim({ ...picture, width: 300, height: 200 }, [150, 100], 0.5, true)).toMatchObject({ x: 0, y: 0, width: 300 });
  const wire = await begin([850, 700], 1);
  const line = wire.lead([1_900, 700], false);
  expect(line.at(-1)).toEqual([1_900, 700]);
  expect(measureDistance(line.at(-2) ?? [0, 0], [1_900, 700])).toBeGreaterThan(700);
});

test("before the lines are known, and where they cannot be, they are straight", async () => {
  const request = aim(picture, [850, 700], 1, true);
  const wire = new Wire([850, 700], request, () => Promise.reject(new Error("The server answered 404.")));
  expect(wire.lead([900, 700], false)).toEqual([
    [850, 700],
    [900, 700],
  ]);
  await wire.settled;
  expect(wire).toMatchObject({ isSettled: true, failure: "The server answered 404." });
  expect(wire.lead([900, 700], false)).toHaveLength(2);
});
