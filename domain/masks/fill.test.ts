import { expect, test } from "vitest";
import { countInside, fillRings, RingColumns, toPictureRuns } from "./fill";
import { measureRuns } from "./run-lengths";

type Ring = [x: number, y: number][];

let state = 3;
/** From 0 to 1, the same in every run. */
function random(): number {
  state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return state / 2 ** 32;
}

/** Whether a place is inside of rings, by the number of lines above it. */
const isInside = (rings: readonly Ring[], x: number, y: number): boolean =>
  rings.flatMap((ring) =>
    ring.filter((to, at) => {
      const from = ring.at(at - 1) ?? to;
      return from[0] > x !== to[0] > x && from[1] + ((x - from[0]) / (to[0] - from[0])) * (to[1] - from[1]) < y;
    }),
  ).length %
    2 ===
  1;

test("the pixels of rings are those whose middle is inside, also of rings that cross and stick out", () => {
  const size = { width: 20, height: 14 };
  for (let round = 0; round < 200; round += 1) {
    const rings = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
      Array.from({ length: 3 + Math.floor(random() * 6) }, (): [number, number] => [
        random() * 30 - 5,
        random() * 24 - 5,
      ]),
    );
    const expected: string[] = [];
    for (let x = 0; x < size.width; x += 1)
      for (let y = 0; y < size.height; y += 1) if (isInside(rings, x + 0.5, y + 0.5)) expected.push(`${x},${y}`);
    const found = fillRings(rings, size).flatMap(([x, from, to]) =>
      Array.from({ length: to - from }, (_, at) => `${x},${from + at}`),
    );
    expect(found).toEqual(expected);
    expect(countInside(rings, size)).toBe(expected.length);
    expect(measureRuns(toPictureRuns(rings, size))).toBe(expected.length);
  }
});

test("of lines to and fro across a wide picture only one column is cut at a time", () => {
  const size = { width: 10_000, height: 8_000 };
  const zigzag = Array.from({ length: 10_000 }, (_, at): [number, number] => [
    at % 2 === 0 ? 0 : size.width,
    (at * size.height) / 10_000,
  ]);
  const columns = new RingColumns([zigzag], size);
  expect([columns.first, columns.end]).toEqual([0, size.width]);
  // Columns may be passed over.
  for (const x of [0, 5_000, 9_999]) {
    const rows = columns.cut(x);
    if (x === 5_000) expect(rows.length).toBeGreaterThan(1_000);
    expect(rows.length).toBeLessThanOrEqual(zigzag.length);
    expect(rows.every((row, at) => row >= (rows[at - 1] ?? 0) && row <= size.height)).toBe(true);
  }
});
