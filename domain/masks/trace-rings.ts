type Point = readonly [x: number, y: number];

/** Right, down, left and up, so that the next one is a turn to the right. */
const steps = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const;

/**
 * For each corner of pixels, with its column and row, a bit for each step along an edge that has the mask on its right.
 */
function listEdges(pixels: Uint8Array, width: number, height: number): Uint8Array {
  const edges = new Uint8Array((width + 1) * (height + 1));
  const isSet = (x: number, y: number) => x >= 0 && y >= 0 && x < width && y < height && pixels[y * width + x] !== 0;
  const add = (x: number, y: number, step: number) => {
    const at = y * (width + 1) + x;
    edges[at] = (edges[at] ?? 0) | (1 << step);
  };
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      if (!isSet(x, y)) continue;
      if (!isSet(x, y - 1)) add(x, y, 0);
      if (!isSet(x + 1, y)) add(x + 1, y, 1);
      if (!isSet(x, y + 1)) add(x + 1, y + 1, 2);
      if (!isSet(x - 1, y)) add(x, y + 1, 3);
    }
  return edges;
}

/**
 * The outlines of the pixels of a mask that lie row by row: rings of the corners at which they turn, clockwise around
 * parts and counterclockwise around holes. Parts that touch at a corner only are apart.
 */
export function traceRings(pixels: Uint8Array, width: number, height: number): Point[][] {
  const edges = listEdges(pixels, width, height);
  const rings: Point[][] = [];
  for (let start = 0; start < edges.length; start += 1)
    while (edges[start] !== 0) rings.push(traceRing(edges, start, width + 1));
  return rings;
}

/** Follows edges from a corner back to it, and removes them. */
function traceRing(edges: Uint8Array, start: number, columns: number): Point[] {
  const first = steps.findIndex((_, step) => isOpen(edges, start, step));
  const ring: Point[] = [];
  let [at, step] = [start, first];
  for (;;) {
    edges[at] = (edges[at] ?? 0) & ~(1 << step);
    const [dx, dy] = steps[step] ?? [0, 0];
    at += dy * columns + dx;
    const right = (step + 1) % 4;
    const isBack = at === start && (right === first || !isOpen(edges, at, right));
    const next = isBack ? first : ([right, step, (step + 3) % 4].find((turn) => isOpen(edges, at, turn)) ?? first);
    if (next !== step) ring.push([at % columns, Math.floor(at / columns)]);
    if (isBack) return ring;
    step = next;
  }
}

const isOpen = (edges: Uint8Array, at: number, step: number): boolean => ((edges[at] ?? 0) & (1 << step)) !== 0;

/** Twice the area inside a ring, negative where it is counterclockwise on the picture. */
function measureTurn(ring: readonly Point[]): number {
  let sum = 0;
  let before = ring.at(-1) ?? [0, 0];
  for (const point of ring) {
    sum += before[0] * point[1] - point[0] * before[1];
    before = point;
  }
  return sum;
}

const isClockwise = (ring: readonly Point[]): boolean => measureTurn(ring) > 0;

/** The rings of a polygon with holes, in the directions that `traceRings` gives them. */
export const orientRings = (outline: readonly Point[], holes: readonly (readonly Point[])[]): (readonly Point[])[] => [
  isClockwise(outline) ? outline : outline.toReversed(),
  ...holes.map((hole) => (isClockwise(hole) ? hole.toReversed() : hole)),
];

/**
 * One ring that encloses what several do: from the largest one a line leads to each other one and back on itself, so that
 * it encloses nothing.
 */
export function joinRings(rings: readonly (readonly Point[])[]): Point[] {
  const [largest = [], ...others] = rings.toSorted((a, b) => Math.abs(measureTurn(b)) - Math.abs(measureTurn(a)));
  let joined = [...largest];
  for (const ring of others) {
    const [entry] = ring;
    if (!entry) continue;
    let [nearest, least] = [0, Infinity];
    for (const [at, [x, y]] of joined.entries()) {
      const distance = Math.hypot(x - entry[0], y - entry[1]);
      if (distance < least) [nearest, least] = [at, distance];
    }
    const from = joined[nearest] ?? entry;
    joined = [...joined.slice(0, nearest + 1), ...ring, entry, from, ...joined.slice(nearest + 1)];
  }
  return joined;
}
