/**
 * Masks as COCO's programs write them: the lengths of runs of equal pixels, columns from the left and each from its top,
 * the first of them outside the mask; and these as text. See maskApi.c of cocodataset/cocoapi.
 */

/** Each character holds five bits, from the lowest; the sixth says that more follow. */
const firstCharacter = 48;
const lastCharacter = firstCharacter + 63;

/** The runs of a text; null for one that holds none. From the fourth on, a run is written as its difference to the one two before. */
export function parseRuns(text: string): number[] | null {
  const runs: number[] = [];
  let at = 0;
  while (at < text.length) {
    let value = 0;
    let scale = 1;
    let bits = 0;
    do {
      const code = text.charCodeAt(at);
      // Seven characters hold more bits than the largest picture has pixels.
      if (!(code >= firstCharacter && code <= lastCharacter) || scale > 2 ** 30) return null;
      bits = code - firstCharacter;
      value += (bits & 31) * scale;
      scale *= 32;
      at += 1;
    } while ((bits & 32) !== 0);
    if ((bits & 16) !== 0) value -= scale;
    if (runs.length > 2) value += runs.at(-2) ?? 0;
    if (value < 0) return null;
    runs.push(value);
  }
  return runs;
}

/** Runs as text. */
export function formatRuns(runs: readonly number[]): string {
  const codes: number[] = [];
  for (const [at, run] of runs.entries()) {
    let value = at > 2 ? run - (runs[at - 2] ?? 0) : run;
    let isMore = true;
    while (isMore) {
      const bits = value & 31;
      value >>= 5;
      isMore = (bits & 16) === 0 ? value !== 0 : value !== -1;
      codes.push(firstCharacter + (isMore ? bits | 32 : bits));
    }
  }
  let text = "";
  // As arguments, so that only so many at once.
  for (let at = 0; at < codes.length; at += 8_192) text += String.fromCharCode(...codes.slice(at, at + 8_192));
  return text;
}

export const sumRuns = (runs: readonly number[]): number => runs.reduce((sum, run) => sum + run, 0);

/** How many pixels are in the mask: every second run. */
export const measureRuns = (runs: readonly number[]): number =>
  runs.reduce((area, run, at) => (at % 2 === 1 ? area + run : area), 0);

/** The runs of pixels that lie row by row, those of the mask not 0. */
export function encodePixels(pixels: Uint8Array, width: number, height: number): number[] {
  const runs: number[] = [];
  let run = 0;
  let isInside = false;
  // Columns are gathered by strips, so that memory is read by rows.
  const across = 64;
  const strip = new Uint8Array(Math.min(across, width) * height);
  for (let left = 0; left < width; left += across) {
    const columns = Math.min(across, width - left);
    for (let y = 0; y < height; y += 1) {
      const row = y * width + left;
      for (let x = 0; x < columns; x += 1) strip[x * height + y] = pixels[row + x] === 0 ? 0 : 1;
    }
    for (let at = 0; at < columns * height; at += 1) {
      if ((strip[at] === 1) !== isInside) {
        runs.push(run);
        run = 0;
        isInside = !isInside;
      }
      run += 1;
    }
  }
  runs.push(run);
  return runs;
}

/** The pixels of runs, row by row: 1 in the mask, 0 outside. */
export function decodeRuns(runs: readonly number[], width: number, height: number): Uint8Array {
  const pixels = new Uint8Array(width * height);
  forEachSegment(runs, height, (x, from, to) => {
    for (let at = from * width + x; at < to * width + x; at += width) pixels[at] = 1;
  });
  return pixels;
}

/** The parts of the mask by column: `to` is the first row below. Columns come from the left, each from its top. */
function forEachSegment(
  runs: readonly number[],
  height: number,
  visit: (x: number, from: number, to: number) => void,
): void {
  let at = 0;
  for (const [index, run] of runs.entries()) {
    const end = at + run;
    if (index % 2 === 1) {
      while (at < end) {
        const from = at % height;
        const length = Math.min(end - at, height - from);
        visit((at - from) / height, from, from + length);
        at += length;
      }
    }
    at = end;
  }
}

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Gathers segments that come in the order of the pixels into runs of a picture with this many pixels. */
export function gatherSegments(
  height: number,
  total: number,
  segments: Iterable<readonly [x: number, from: number, to: number]>,
) {
  const runs: number[] = [];
  let end = 0;
  for (const [x, from, to] of segments) {
    const start = x * height + from;
    if (start === end && runs.length > 0) runs[runs.length - 1] = (runs.at(-1) ?? 0) + to - from;
    else runs.push(start - end, to - from);
    end = x * height + to;
  }
  if (end < total || runs.length === 0) runs.push(total - end);
  return runs;
}

/** Runs as parts of columns, in the order of the pixels. */
function listSegments(runs: readonly number[], height: number): [x: number, from: number, to: number][] {
  const segments: [number, number, number][] = [];
  forEachSegment(runs, height, (x, from, to) => segments.push([x, from, to]));
  return segments;
}

/** Runs of a box of a picture as runs of the whole picture. */
export function padRuns(runs: readonly number[], box: Area, picture: { width: number; height: number }): number[] {
  const segments = listSegments(runs, box.height).map(([x, from, to]): [number, number, number] => [
    x + box.x,
    from + box.y,
    to + box.y,
  ]);
  return gatherSegments(picture.height, picture.width * picture.height, segments);
}

/** The smallest box around the pixels of runs; null where there is none. No pixel and no column is laid out. */
export function boundRuns(runs: readonly number[], height: number): Area | null {
  let [left, top, right, bottom] = [Infinity, Infinity, 0, 0];
  let end = 0;
  for (const [at, run] of runs.entries()) {
    const start = end;
    end += run;
    if (at % 2 === 0 || run === 0) continue;
    const [first, last] = [Math.floor(start / height), Math.floor((end - 1) / height)];
    left = Math.min(left, first);
    right = Math.max(right, last + 1);
    // A run of several columns has the first row of the last one, and the last row of the first.
    top = Math.min(top, first === last ? start % height : 0);
    bottom = Math.max(bottom, first === last ? ((end - 1) % height) + 1 : height);
  }
  return right > left ? { x: left, y: top, width: right - left, height: bottom - top } : null;
}

/** Segments of columns, in the order of the pixels, as runs of the smallest box around them; null without any. */
export function boxSegments(
  segments: readonly (readonly [x: number, from: number, to: number])[],
): { box: Area; runs: number[] } | null {
  const [first] = segments;
  const last = segments.at(-1);
  if (!first || !last) return null;
  let [top, bottom] = [first[1], first[2]];
  for (const [, from, to] of segments) {
    top = Math.min(top, from);
    bottom = Math.max(bottom, to);
  }
  const box = { x: first[0], y: top, width: last[0] - first[0] + 1, height: bottom - top };
  const inBox = segments.map(([x, from, to]): [number, number, number] => [x - box.x, from - top, to - top]);
  return { box, runs: gatherSegments(box.height, box.width * box.height, inBox) };
}

/** Runs of a picture as those of the smallest box that holds the mask; null where it has no pixel. */
export const cropRuns = (runs: readonly number[], height: number): { box: Area; runs: number[] } | null =>
  boxSegments(listSegments(runs, height));
