import { getColours } from "@/engine/messages/colour-scale";
import { Notes } from "@/engine/messages/notes";
import { createFieldReader, readPackedFields } from "@/engine/messages/packed-numbers";
import { readFrame, readPose, type Vector } from "@/engine/messages/pose";
import { readStamp } from "@/engine/messages/poses/stamp";
import { readBytes, readFields, readNumber, readPart, UnreadableMessage, type Fields } from "@/engine/messages/reading";
import type { SceneMessage } from "@/engine/messages/scene-message";
import type { PackedField } from "@/engine/messages/scene-object";

/** Cells of the whole grid that are looked at. */
const maxCells = 50_000_000;
/** Cubes that are drawn. */
const maxCubes = 1_000_000;

/** Where the cells of a grid lie among its bytes. */
interface Layout {
  columns: number;
  rows: number;
  slices: number;
  cellStride: number;
  rowStride: number;
  sliceStride: number;
}

function readLayout(message: Fields, length: number): Layout {
  const [columns, rows] = [readCount(message, "column_count"), readCount(message, "row_count")];
  const [cellStride, rowStride] = [readCount(message, "cell_stride"), readCount(message, "row_stride")];
  const sliceStride = readCount(message, "slice_stride");
  if (cellStride === 0 || columns === 0 || rows === 0)
    throw new UnreadableMessage(`The grid has no cells: ${columns} × ${rows} of ${cellStride} bytes.`);
  if (rowStride < columns * cellStride)
    throw new UnreadableMessage(`A row of ${columns} cells of ${cellStride} bytes cannot take ${rowStride} bytes.`);
  if (sliceStride < rows * rowStride)
    throw new UnreadableMessage(`A slice of ${rows} rows of ${rowStride} bytes cannot take ${sliceStride} bytes.`);
  const slices = Math.floor(length / sliceStride);
  if (slices === 0)
    throw new UnreadableMessage(
      `A slice of the grid takes ${sliceStride.toLocaleString("en")} bytes; the message carries ${length.toLocaleString("en")}.`,
    );
  if (columns * rows * slices > maxCells)
    throw new UnreadableMessage(
      `The grid has ${columns} × ${rows} × ${slices} cells; at most ${maxCells.toLocaleString("en")} are read.`,
    );
  return { columns, rows, slices, cellStride, rowStride, sliceStride };
}

function readCount(fields: Fields, name: string): number {
  const number = readNumber(fields, name);
  if (!Number.isInteger(number) || number < 0)
    throw new UnreadableMessage(`The field "${name}" is ${number}, which is no count.`);
  return number;
}

/** The value of each cell by which it is there and coloured: its opacity with colours, else its first field. */
function readCells(data: Uint8Array, layout: Layout, fields: readonly PackedField[]) {
  const { columns, rows, slices, cellStride, rowStride, sliceStride } = layout;
  const find = (name: string) => {
    const field = fields.find((each) => each.name === name);
    return field ? createFieldReader(data, field, true) : null;
  };
  const [red, green, blue, alpha] = [find("red"), find("green"), find("blue"), find("alpha")];
  const [first] = fields;
  if (first === undefined) throw new UnreadableMessage("The cells of the grid have no fields.");
  const value = createFieldReader(data, first, true);
  const hasColours = red !== null && green !== null && blue !== null;
  const seen = hasColours ? (alpha ?? (() => 255)) : value;
  const values = new Float64Array(columns * rows * slices);
  const places = new Float64Array(values.length);
  let at = 0;
  for (let slice = 0; slice < slices; slice++)
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++, at++) {
        const place = slice * sliceStride + row * rowStride + column * cellStride;
        places[at] = place;
        values[at] = seen(place);
      }
  const byColours = (index: number): number => {
    const place = places[index]!;
    return (0xff000000 | ((blue!(place) & 255) << 16) | ((green!(place) & 255) << 8) | (red!(place) & 255)) >>> 0;
  };
  return { values, colour: hasColours ? byColours : colourByValue(values) };
}

/** Colours from the lowest to the highest value of the cells that are there. */
function colourByValue(values: Float64Array): (index: number) => number {
  let [min, max] = [Infinity, -Infinity];
  for (const value of values) {
    if (!isThere(value)) continue;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const colours = getColours("turbo");
  const factor = 255 / (max - min || 1);
  return (index) => colours[Math.round((values[index]! - min) * factor)]!;
}

/** Nothing is there where the value is 0 or no finite number. */
const isThere = (value: number): boolean => value !== 0 && Number.isFinite(value);

/** Whether a cell has others on all six sides, so that nobody can see it. */
function isInside(values: Float64Array, { columns, rows, slices }: Layout, index: number): boolean {
  const [column, row] = [index % columns, Math.floor(index / columns) % rows];
  const slice = Math.floor(index / (columns * rows));
  if (column === 0 || row === 0 || slice === 0) return false;
  if (column === columns - 1 || row === rows - 1 || slice === slices - 1) return false;
  const steps = [1, columns, columns * rows];
  return steps.every((step) => isThere(values[index - step]!) && isThere(values[index + step]!));
}

/**
 * A `foxglove.VoxelGrid`: a cube for each cell that is not 0, by its colours or by its first field. Throws UnreadableMessage
 * when its bytes do not hold its cells.
 */
export function readVoxelGrid(value: unknown): SceneMessage {
  const message = readFields(value);
  const notes = new Notes();
  const data = readBytes(message, "data");
  const layout = readLayout(message, data.length);
  const fields = readPackedFields(message, layout.cellStride, "foxglove", notes);
  const { values, colour } = readCells(data, layout, fields);
  const cell = readPart(message, "cell_size");
  const size: Vector = [readLength(cell, "x"), readLength(cell, "y"), readLength(cell, "z")];
  const shown: number[] = [];
  let filled = 0;
  for (let index = 0; index < values.length; index++) {
    if (!isThere(values[index]!)) continue;
    filled++;
    if (!isInside(values, layout, index)) shown.push(index);
  }
  const drawn = shown.length > maxCubes ? shown.slice(0, maxCubes) : shown;
  notes.count(
    "cube beyond the million that are drawn",
    "cubes beyond the million that are drawn",
    shown.length - drawn.length,
  );
  const [places, colours] = [new Float32Array(drawn.length * 3), new Uint32Array(drawn.length)];
  for (const [at, index] of drawn.entries()) {
    const column = index % layout.columns;
    const row = Math.floor(index / layout.columns) % layout.rows;
    const slice = Math.floor(index / (layout.columns * layout.rows));
    places.set([(column + 0.5) * size[0], (row + 0.5) * size[1], (slice + 0.5) * size[2]], at * 3);
    colours[at] = colour(index);
  }
  const placed = { frame: readFrame(message), stamp: readStamp(message), pose: readPose(message.pose, notes) };
  const voxels = { kind: "voxels" as const, ...placed, size, count: filled, places, colours };
  return { objects: [voxels], notes: notes.list() };
}

function readLength(fields: Fields, name: string): number {
  const length = readNumber(fields, name);
  if (!(length > 0) || !Number.isFinite(length))
    throw new UnreadableMessage(`The field "${name}" is ${length}; a cell needs a length above 0.`);
  return length;
}
