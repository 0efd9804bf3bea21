import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  cropRuns,
  decodeRuns,
  encodePixels,
  formatRuns,
  measureRuns,
  padRuns,
  parseRuns,
  sumRuns,
} from "./run-lengths";

interface Mask {
  pixels: Uint8Array;
  width: number;
  height: number;
}

/** Masks that are the same in each run: noise, blots, an empty and a full one. */
function* listMasks(count: number): Generator<Mask> {
  let seed = 9;
  const draw = (): number => (seed = (seed * 1_664_525 + 1_013_904_223) >>> 0) / 2 ** 32;
  for (let made = 0; made < count; made += 1) {
    const isNoise = made % 4 === 0;
    const most = isNoise ? 16 : 300;
    const [width, height] = [1 + Math.floor(draw() * most), 1 + Math.floor(draw() * most)];
    const pixels = new Uint8Array(width * height);
    if (isNoise) for (let at = 0; at < pixels.length; at += 1) pixels[at] = draw() < 0.4 ? 1 : 0;
    else {
      for (let blot = 0; blot < 4; blot += 1) {
        const [x, y, radius] = [draw() * width, draw() * height, draw() * 60];
        const value = draw() < 0.8 ? 1 : 0;
        for (let at = 0; at < pixels.length; at += 1) {
          const [right, down] = [(at % width) - x, Math.floor(at / width) - y];
          if (right * right + down * down <= radius * radius) pixels[at] = value;
        }
      }
    }
    if (made === 5) pixels.fill(0);
    if (made === 7) pixels.fill(1);
    yield { pixels, width, height };
  }
}

/** What COCO's maskApi.c makes of the same masks: width, height, area, box and text, a line each. */
const expected = readFileSync(new URL("coco-masks.txt", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");

describe("200 masks", () => {
  test("have the text, area and box that COCO's own code gives them, and come back from it", () => {
    let compared = 0;
    for (const { pixels, width, height } of listMasks(expected.length)) {
      const runs = encodePixels(pixels, width, height);
      const box = cropRuns(runs, height)?.box ?? { x: 0, y: 0, width: 0, height: 0 };
      const text = formatRuns(runs);
      const facts = [width, height, measureRuns(runs), box.x, box.y, box.width, box.height];
      expect(`${facts.join(" ")} ${text}`).toBe(expected[compared]);
      expect(parseRuns(text)).toEqual(runs);
      expect(Buffer.compare(decodeRuns(runs, width, height), pixels)).toBe(0);
      compared += 1;
    }
    expect(compared).toBe(200);
  });

  test("are the same after they were cut to their box and put back into their picture", () => {
    for (const { pixels, width, height } of listMasks(60)) {
      const runs = encodePixels(pixels, width, height);
      const cropped = cropRuns(runs, height);
      if (!cropped) {
        expect(measureRuns(runs)).toBe(0);
        continue;
      }
      expect(sumRuns(cropped.runs)).toBe(cropped.box.width * cropped.box.height);
      expect(padRuns(cropped.runs, cropped.box, { width, height })).toEqual(runs);
    }
  });
});

describe("a text", () => {
  test.each([
    ["a character before those of COCO", "/"],
    ["a character after them", "p"],
    ["one that ends in the middle of a run", "P"],
    ["a run that is longer than any picture", "ooooooooo0"],
    ["a run below 0", "O"],
  ])("is no mask with %s", (_, text) => {
    expect(parseRuns(text)).toBeNull();
  });

  test("of nothing has no runs", () => {
    expect(parseRuns("")).toEqual([]);
    expect(formatRuns([])).toBe("");
  });
});
