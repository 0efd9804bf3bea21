import { expect, test } from "vitest";
import { showLayers, subtractRows, type Layer, type Seen } from "./layers";

type Part = readonly [x: number, from: number, to: number];

function makeLayer(parts: readonly Part[], end: number): Layer {
  return { first: 0, end, cut: (column) => parts.flatMap(([x, from, to]) => (x === column ? [from, to] : [])) };
}

/** What is seen of layers, and how many pauses there were. */
function show(layers: readonly Layer[], size: { width: number; height: number }) {
  const parts: Part[][] = layers.map(() => []);
  const steps = showLayers(layers, size, (at, ...part) => parts[at]?.push(part));
  let pauses = 0;
  for (;;) {
    const step = steps.next();
    if (step.done) return { parts, seen: step.value, pauses };
    pauses += 1;
  }
}

test("of two layers the lower one is seen where the upper one is not", () => {
  const lower: Part[] = [
    [0, 0, 10],
    [1, 0, 10],
  ];
  const upper: Part[] = [
    [1, 2, 4],
    [1, 6, 7],
    [2, 0, 3],
  ];
  const { parts, seen } = show([makeLayer(lower, 3), makeLayer(upper, 3)], { width: 3, height: 10 });
  expect(parts).toEqual([
    [
      [0, 0, 10],
      [1, 0, 2],
      [1, 4, 6],
      [1, 7, 10],
    ],
    upper,
  ]);
  expect(seen).toEqual([
    { isThere: true, isCovered: true, area: 17, left: 0, top: 0, right: 2, bottom: 10 },
    { isThere: true, isCovered: false, area: 6, left: 1, top: 0, right: 3, bottom: 7 },
  ]);
});

test("what is seen of many layers is what painting them one over the other leaves", () => {
  const [width, height] = [12, 30];
  let seed = 7;
  const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below;
  for (let round = 0; round < 50; round++) {
    const layers = Array.from({ length: 1 + random(8) }, () =>
      Array.from({ length: width }, (_, x): Part[] => {
        const from = random(height);
        const to = Math.min(height, from + random(12));
        const next = to + 1 + random(5);
        const all: Part[] = [
          [x, from, to],
          [x, next, Math.min(height, next + random(9))],
        ];
        return all.filter(([, top, bottom]) => bottom > top);
      }).flat(),
    );
    const painted = new Int8Array(width * height).fill(-1);
    for (const [layer, parts] of layers.entries())
      for (const [x, from, to] of parts) for (let y = from; y < to; y++) painted[y * width + x] = layer;
    const shown = new Int8Array(width * height).fill(-1);
    const { parts, seen } = show(
      layers.map((each) => makeLayer(each, width)),
      { width, height },
    );
    for (const [layer, own] of parts.entries())
      for (const [x, from, to] of own)
        for (let y = from; y < to; y++) {
          expect(shown[y * width + x]).toBe(-1);
          shown[y * width + x] = layer;
        }
    expect(shown).toEqual(painted);
    for (const [at, { isThere, isCovered, area, ...bounds }] of seen.entries()) {
      const own = [...painted].flatMap((layer, pixel) => (layer === at ? [pixel] : []));
      const all = (layers[at] ?? []).reduce((sum, [, from, to]) => sum + to - from, 0);
      expect([isThere, isCovered, area]).toEqual([all > 0, own.length < all, own.length]);
      if (area > 0) expect(bounds).toEqual(boundPixels(own, width));
    }
  }
});

function boundPixels(pixels: readonly number[], width: number): Pick<Seen, "left" | "top" | "right" | "bottom"> {
  const [xs, ys] = [pixels.map((at) => at % width), pixels.map((at) => Math.floor(at / width))];
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs) + 1, bottom: Math.max(...ys) + 1 };
}

test("of very many layers over the whole picture, those below are looked at once, and there are pauses", () => {
  const [size, count] = [{ width: 10_000, height: 8_000 }, 1_000];
  let cuts = 0;
  const whole: Layer = {
    first: 0,
    end: size.width,
    cut: () => {
      cuts += 1;
      return [0, size.height];
    },
  };
  const steps = showLayers(
    Array.from({ length: count }, () => whole),
    size,
  );
  let pauses = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) pauses += 1;
  expect(step.value.map(({ area }) => area).filter((area) => area > 0)).toEqual([size.width * size.height]);
  expect(step.value.slice(0, -1).every(({ isThere, isCovered }) => isThere && isCovered)).toBe(true);
  expect(cuts).toBe(size.width + count - 1);
  expect(pauses).toBeGreaterThan(0);
  expect(pauses).toBeLessThan(10);
});

test("rows without others are what is left of them", () => {
  expect(subtractRows([0, 4, 6, 12], [2, 3, 8, Infinity])).toEqual([0, 2, 3, 4, 6, 8]);
});
