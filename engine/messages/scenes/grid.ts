import { getColours } from "@/engine/messages/colour-scale";
import { Notes } from "@/engine/messages/notes";
import { createFieldReader, readPackedFields } from "@/engine/messages/packed-numbers";
import { readFrame, readPose } from "@/engine/messages/pose";
import { readStamp } from "@/engine/messages/poses/stamp";
import {
  readBytes,
  readFields,
  readList,
  readNumber,
  readPart,
  UnreadableMessage,
  type Fields,
} from "@/engine/messages/reading";
import type { SceneMessage } from "@/engine/messages/scene-message";
import { applyUpdates } from "@/engine/messages/scenes/grid-update";
import { defaultReading, type LayerReading } from "@/engine/messages/scenes/layer-reading";

/** Cells on a side that are drawn; of larger grids every nth cell is. */
const maxSide = 4_096;
const maxCells = 200_000_000;

interface Size {
  columns: number;
  rows: number;
}

function checkCells({ columns, rows }: Size): void {
  if (!Number.isInteger(columns) || !Number.isInteger(rows) || columns < 1 || rows < 1)
    throw new UnreadableMessage(`The grid has no cells: ${columns} × ${rows}.`);
  if (columns * rows > maxCells)
    throw new UnreadableMessage(`The grid has ${columns} × ${rows} cells; at most 200 million are drawn.`);
}

/** The cells that are drawn as pixels, each coloured by `colour`, which gets its column and row. */
function paint({ columns, rows }: Size, notes: Notes, colour: (column: number, row: number) => number) {
  const step = Math.ceil(Math.max(columns, rows) / maxSide);
  if (step > 1) notes.add(`one of ${step} × ${step} cells is drawn`);
  const drawn = { columns: Math.ceil(columns / step), rows: Math.ceil(rows / step) };
  const pixels = new Uint32Array(drawn.columns * drawn.rows);
  for (let row = 0, at = 0; row < drawn.rows; row++)
    for (let column = 0; column < drawn.columns; column++) pixels[at++] = colour(column * step, row * step);
  return { ...drawn, pixels: new Uint8Array(pixels.buffer) };
}

/** Occupied is dark, free is light, unknown is a translucent grey; what is no occupancy is violet. */
function toOccupancyColour(value: number): number {
  if (value === -1) return 0x60_88_80_78;
  if (value < 0 || value > 100) return 0xff_c0_30_90;
  const grey = Math.round(245 - value * 2.2);
  return (0xff000000 | (grey << 16) | (grey << 8) | grey) >>> 0;
}

const opaque = (red: number, green: number, blue: number): number =>
  (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;

/**
 * The colours that RViz gives costs: nothing where it is free, blue to red, 99 (the robot's middle would touch something) cyan,
 * 100 (occupied) magenta; what is no cost is green above and red to yellow below.
 */
function toCostColour(value: number): number {
  if (value === 0) return 0;
  if (value === -1) return opaque(0x70, 0x89, 0x86);
  if (value === 99) return opaque(0, 255, 255);
  if (value === 100) return opaque(255, 0, 255);
  if (value > 100) return opaque(0, 255, 0);
  if (value < 0) return opaque(255, Math.round((255 * (value + 128)) / 126), 0);
  const red = Math.floor((255 * value) / 100);
  return opaque(red, 0, 255 - red);
}

/**
 * A `nav_msgs/OccupancyGrid`, changed by the messages of updates that came after it. Throws UnreadableMessage when it does
 * not hold the cells that it says.
 */
export function readOccupancyGrid(
  value: unknown,
  { isCostmap }: Pick<LayerReading, "isCostmap"> = defaultReading,
  updates: readonly unknown[] = [],
): SceneMessage {
  const message = readFields(value);
  const notes = new Notes();
  const info = readPart(message, "info");
  const size = { columns: readNumber(info, "width"), rows: readNumber(info, "height") };
  checkCells(size);
  const original = readList(message, "data");
  if (original.length < size.columns * size.rows)
    throw new UnreadableMessage(
      `The message says ${size.columns} × ${size.rows} cells but carries ${original.length.toLocaleString("en")}.`,
    );
  const { values: cells } = applyUpdates({ ...size, values: original }, updates, notes);
  const resolution = readLength(info, "resolution");
  const toColour = isCostmap ? toCostColour : toOccupancyColour;
  const drawn = paint(size, notes, (column, row) => {
    const cell = Number(cells[row * size.columns + column]);
    // In some encodings −1 arrives as a byte without a sign.
    return toColour(cell > 127 ? cell - 256 : cell);
  });
  const grid = { kind: "grid" as const, frame: readFrame(message), stamp: readStamp(message), ...drawn };
  const extent = [size.columns * resolution, size.rows * resolution] as const;
  const coloured = { fields: [], colouredBy: null };
  return { objects: [{ ...grid, ...coloured, pose: readPose(info.origin, notes), size: extent }], notes: notes.list() };
}

/**
 * A `foxglove.Grid` by the field that somebody chose, else by its colours, or by its first field. Throws UnreadableMessage when
 * its bytes do not hold its cells.
 */
export function readFoxgloveGrid(value: unknown, reading: LayerReading = defaultReading): SceneMessage {
  const message = readFields(value);
  const notes = new Notes();
  const data = readBytes(message, "data");
  const [cellStride, rowStride] = [readNumber(message, "cell_stride"), readNumber(message, "row_stride")];
  const columns = readNumber(message, "column_count");
  if (!(cellStride > 0) || rowStride < columns * cellStride)
    throw new UnreadableMessage(`A row of ${columns} cells of ${cellStride} bytes cannot take ${rowStride} bytes.`);
  const size = { columns, rows: Math.floor(data.length / rowStride) };
  checkCells(size);
  const fields = readPackedFields(message, cellStride, "foxglove", notes);
  const at = (column: number, row: number): number => row * rowStride + column * cellStride;
  const read = (name: string) => {
    const field = fields.find((each) => each.name === name);
    return field === undefined ? null : createFieldReader(data, field, true);
  };
  const [red, green, blue, alpha] = [read("red"), read("green"), read("blue"), read("alpha")];
  const byColours = (column: number, row: number): number => {
    const place = at(column, row);
    const part = (reader: typeof red, absent: number) => (reader ? reader(place) & 255 : absent);
    return ((part(alpha, 255) << 24) | (part(blue, 0) << 16) | (part(green, 0) << 8) | part(red, 0)) >>> 0;
  };
  const [first] = fields;
  if (first === undefined) throw new UnreadableMessage("The cells of the grid have no fields.");
  const hasColours = red !== null && green !== null && blue !== null;
  const choices = [...(hasColours ? ["rgb"] : []), ...fields.map(({ name }) => name)];
  const { colourBy } = reading;
  if (colourBy !== null && !choices.includes(colourBy)) notes.add(`it has no field "${colourBy}"`);
  const colouredBy = colourBy !== null && choices.includes(colourBy) ? colourBy : hasColours ? "rgb" : first.name;
  const byValue = read(colouredBy);
  const colour = byValue === null ? byColours : colourByValue(byValue, size, at, reading, notes);
  const cell = readPart(message, "cell_size");
  const extent = [size.columns * readLength(cell, "x"), size.rows * readLength(cell, "y")] as const;
  const drawn = paint(size, notes, colour);
  const placed = { frame: readFrame(message), stamp: readStamp(message), pose: readPose(message.pose, notes) };
  const coloured = { fields: choices, colouredBy };
  return { objects: [{ kind: "grid", ...placed, ...drawn, ...coloured, size: extent }], notes: notes.list() };
}

/** Colours from the lowest to the highest value, or between those that were chosen; nothing where there is no number. */
function colourByValue(
  read: (at: number) => number,
  { columns, rows }: Size,
  at: (column: number, row: number) => number,
  reading: LayerReading,
  notes: Notes,
): (column: number, row: number) => number {
  let [min, max] = [Infinity, -Infinity];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const value = read(at(column, row));
      if (value < min && value !== -Infinity) min = value;
      if (value > max && value !== Infinity) max = value;
    }
  }
  [min, max] = [reading.min ?? min, reading.max ?? max];
  if (min <= max) notes.add(`colours from ${Number(min.toPrecision(5))} to ${Number(max.toPrecision(5))}`);
  const colours = getColours(reading.colourScale);
  const factor = 255 / (max > min ? max - min : 1);
  return (column, row) => {
    const value = read(at(column, row));
    return Number.isFinite(value) ? colours[Math.max(0, Math.min(255, Math.round((value - min) * factor)))]! : 0;
  };
}

function readLength(fields: Fields, name: string): number {
  const length = readNumber(fields, name);
  if (!(length > 0) || !Number.isFinite(length))
    throw new UnreadableMessage(`The field "${name}" is ${length}; a cell needs a length above 0.`);
  return length;
}
