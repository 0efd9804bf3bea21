import { boxSegments, gatherSegments, type Area } from "./run-lengths";

type Ring = readonly (readonly [x: number, y: number])[];
type Segment = [x: number, from: number, to: number];

interface Size {
  width: number;
  height: number;
}

/** A line of a ring from left to right, and the columns whose middle it crosses. */
interface Line {
  first: number;
  end: number;
  from: readonly [x: number, y: number];
  to: readonly [x: number, y: number];
}

function listLines(rings: readonly Ring[], width: number): Line[] {
  const lines: Line[] = [];
  for (const ring of rings) {
    let before = ring.at(-1);
    for (const point of ring) {
      const [from, to] = before && before[0] > point[0] ? [point, before] : [before ?? point, point];
      const [first, end] = [Math.max(0, Math.ceil(from[0] - 0.5)), Math.min(width, Math.ceil(to[0] - 0.5))];
      if (first < end) lines.push({ first, end, from, to });
      before = point;
    }
  }
  return lines.toSorted((a, b) => a.first - b.first);
}

/**
 * The pixels whose middle is inside of rings, by the even-odd rule, column by column: no more is in memory than the lines, however
 * many pixels there are.
 */
export class RingColumns {
  /** The first column with a line, and the one behind the last. */
  readonly first: number;
  readonly end: number;
  private readonly lines: readonly Line[];
  private readonly height: number;
  private next = 0;
  private crossed: Line[] = [];

  constructor(rings: readonly Ring[], { width, height }: Size) {
    this.lines = listLines(rings, width);
    this.height = height;
    this.first = this.lines[0]?.first ?? 0;
    this.end = this.lines.reduce((most, { end }) => Math.max(most, end), 0);
  }

  /** Where pixels inside begin and end: pairs of rows, from the top. Columns are asked for from the left; some may be passed over. */
  cut(column: number): number[] {
    for (let line = this.lines[this.next]; line && line.first <= column; line = this.lines[this.next]) {
      this.crossed.push(line);
      this.next += 1;
    }
    if (this.crossed.some(({ end }) => end <= column)) this.crossed = this.crossed.filter(({ end }) => end > column);
    const cuts = new Float64Array(this.crossed.length);
    for (const [at, { from, to }] of this.crossed.entries()) {
      const share = (column + 0.5 - from[0]) / (to[0] - from[0]);
      cuts[at] = from[1] + share * (to[1] - from[1]);
    }
    cuts.sort();
    const rows: number[] = [];
    for (let at = 0; at + 1 < cuts.length; at += 2) {
      const [from, to] = [this.toRow(cuts[at] ?? 0), this.toRow(cuts[at + 1] ?? 0)];
      if (from === to) continue;
      if (rows.at(-1) === from) rows[rows.length - 1] = to;
      else rows.push(from, to);
    }
    return rows;
  }

  private toRow(cut: number): number {
    return Math.min(this.height, Math.max(0, Math.ceil(cut - 0.5)));
  }
}

function* listSegments(rings: readonly Ring[], picture: Size): Generator<Segment> {
  const columns = new RingColumns(rings, picture);
  for (let { first: x } = columns; x < columns.end; x += 1) {
    const rows = columns.cut(x);
    for (let at = 0; at < rows.length; at += 2) yield [x, rows[at] ?? 0, rows[at + 1] ?? 0];
  }
}

/** The pixels whose middle is inside of rings, by the even-odd rule: parts of columns from the left, each from its top. */
export const fillRings = (rings: readonly Ring[], picture: Size): Segment[] => [...listSegments(rings, picture)];

/** How many pixels have their middle inside of rings. */
export function countInside(rings: readonly Ring[], picture: Size): number {
  let count = 0;
  for (const [, from, to] of listSegments(rings, picture)) count += to - from;
  return count;
}

/** The runs of the pixels inside of rings, and the box that they are of; null where there are none. */
export const toRuns = (rings: readonly Ring[], picture: Size): { box: Area; runs: number[] } | null =>
  boxSegments(fillRings(rings, picture));

/** The runs of a whole picture with the pixels inside of rings. */
export const toPictureRuns = (rings: readonly Ring[], picture: Size): number[] =>
  gatherSegments(picture.height, picture.width * picture.height, listSegments(rings, picture));
