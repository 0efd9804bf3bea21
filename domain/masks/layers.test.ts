import { expect, test } from "vitest";
import { countPixels, showLayers, type Segment } from "./layers";

test("of two layers the lower one is seen where the upper one is not", () => {
  const lower: Segment[] = [
    [0, 0, 10],
    [1, 0, 10],
  ];
  const upper: Segment[] = [
    [1, 2, 4],
    [1, 6, 7],
    [2, 0, 3],
  ];
  expect(showLayers([lower, upper])).toEqual([
    [
      [0, 0, 10],
      [1, 0, 2],
      [1, 4, 6],
      [1, 7, 10],
    ],
    upper,
  ]);
});

test("what is seen of many layers is what painting them one over the other leaves", () => {
  const [width, height] = [12, 30];
  let seed = 7;
  const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below;
  for (let round = 0; round < 50; round++) {
    const layers = Array.from({ length: 1 + random(8) }, () =>
      Array.from({ length: width }, (_, x): Segment[] => {
        const from = random(height);
        const to = Math.min(height, from + random(12));
        const next = to + 1 + random(5);
        const all: Segment[] = [
          [x, from, to],
          [x, next, Math.min(height, next + random(9))],
        ];
        return all.filter(([, top, bottom]) => bottom > top);
      }).flat(),
    );
    const painted = new Int8Array(width * height).fill(-1);
    for (const [layer, segments] of layers.entries())
      for (const [x, from, to] of segments) for (let y = from; y < to; y++) painted[y * width + x] = layer;
    const shown = new Int8Array(width * height).fill(-1);
    const seen = showLayers(layers);
    for (const [layer, segments] of seen.entries())
      for (const [x, from, to] of segments)
        for (let y = from; y < to; y++) {
          expect(shown[y * width + x]).toBe(-1);
          shown[y * width + x] = layer;
        }
    expect(shown).toEqual(painted);
    expect(seen.reduce((sum, segments) => sum + countPixels(segments), 0)).toBe(painted.filter((at) => at >= 0).length);
  }
});
