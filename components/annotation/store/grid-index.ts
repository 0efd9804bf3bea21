import { areTouching, type Bounds, type Point } from "@/domain/annotations/geometry";

/** Pixels of the picture of a cell's sides. */
const cellPixels = 64;
/** Cells from which a shape is listed apart: it would be in nearly all of them. */
const maxCells = 256;

const toCell = (value: number): number => Math.floor(value / cellPixels);
/** One number for a column and a row; cells far apart may share one, and bounds decide. */
const toKey = (column: number, row: number): number => column * 65_536 + row;

interface Entry {
  bounds: Bounds;
  /** Null: it covers too many. */
  cells: readonly number[] | null;
}

/** Which shapes are near a place, by their bounds. */
export class GridIndex {
  private readonly entries = new Map<string, Entry>();
  private readonly cells = new Map<number, Set<string>>();
  private readonly large = new Set<string>();

  /** Notes where a shape is now; null where it marks no place, or is there no more. */
  set(id: string, bounds: Bounds | null): void {
    this.remove(id);
    if (!bounds) return;
    const [left, right] = [toCell(bounds.left), toCell(bounds.right)];
    const [top, bottom] = [toCell(bounds.top), toCell(bounds.bottom)];
    if ((right - left + 1) * (bottom - top + 1) > maxCells) {
      this.entries.set(id, { bounds, cells: null });
      this.large.add(id);
      return;
    }
    const cells: number[] = [];
    for (let column = left; column <= right; column++)
      for (let row = top; row <= bottom; row++) cells.push(toKey(column, row));
    this.entries.set(id, { bounds, cells });
    for (const cell of cells) {
      const there = this.cells.get(cell);
      if (there) there.add(id);
      else this.cells.set(cell, new Set([id]));
    }
  }

  private remove(id: string): void {
    for (const cell of this.entries.get(id)?.cells ?? []) {
      const there = this.cells.get(cell);
      there?.delete(id);
      if (there?.size === 0) this.cells.delete(cell);
    }
    this.large.delete(id);
    this.entries.delete(id);
  }

  get(id: string): Bounds | null {
    return this.entries.get(id)?.bounds ?? null;
  }

  /** The ids of shapes whose bounds touch these, in no order. */
  find(bounds: Bounds): string[] {
    const [left, right] = [toCell(bounds.left), toCell(bounds.right)];
    const [top, bottom] = [toCell(bounds.top), toCell(bounds.bottom)];
    const touches = (id: string) => {
      const entry = this.entries.get(id);
      return entry !== undefined && areTouching(entry.bounds, bounds);
    };
    // Of wide bounds all shapes are looked at rather than all cells.
    if ((right - left + 1) * (bottom - top + 1) > this.entries.size) return [...this.entries.keys()].filter(touches);
    const found = new Set(this.large);
    for (let column = left; column <= right; column++)
      for (let row = top; row <= bottom; row++)
        for (const id of this.cells.get(toKey(column, row)) ?? []) found.add(id);
    return [...found].filter(touches);
  }

  findAt([x, y]: Point, reach: number): string[] {
    return this.find({ left: x - reach, top: y - reach, right: x + reach, bottom: y + reach });
  }
}
