import { expect, test } from "vitest";
import { readVoxelGrid } from "@/engine/messages/clouds/voxels";
import { getColours } from "@/engine/messages/colour-scale";
import type { Voxels } from "@/engine/messages/scene-object";

const field = (name: string, offset: number, type = 1) => ({ name, offset, type });
/** A grid of bytes: `side` cells in each direction, each 1 metre by 2 by 3. */
const makeGrid = (side: number, cell: (index: number) => number) => ({
  timestamp: { sec: 1, nsec: 0 },
  frame_id: "map",
  pose: { position: { x: 1, y: 0, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } },
  row_count: side,
  column_count: side,
  cell_size: { x: 1, y: 2, z: 3 },
  slice_stride: side * side,
  row_stride: side,
  cell_stride: 1,
  fields: [field("occupied", 0)],
  data: Uint8Array.from({ length: side ** 3 }, (_, index) => cell(index)),
});
const read = (message: unknown): Voxels => readVoxelGrid(message).objects[0] as Voxels;

test("a cube stands in the middle of each cell that is not 0, coloured by its value", () => {
  const voxels = read(makeGrid(2, (index) => (index === 1 ? 10 : index === 6 ? 20 : 0)));
  expect([...voxels.places]).toEqual([1.5, 1, 1.5, 0.5, 3, 4.5]);
  const colours = getColours("turbo");
  expect([...voxels.colours]).toEqual([colours[0], colours[255]]);
  expect(voxels).toMatchObject({ count: 2, size: [1, 2, 3], frame: "map", stamp: 1_000_000_000n });
});

test("cells that others hide on all sides have no cube, but count", () => {
  const { count, colours } = read(makeGrid(4, () => 1));
  expect([count, colours.length]).toEqual([64, 56]);
});

test("colours of the message are taken where it has them, and what is transparent is left out", () => {
  const pixels = Uint8Array.of(255, 0, 0, 255, 0, 0, 255, 0);
  const { colours } = read({
    ...makeGrid(1, () => 0),
    row_count: 1,
    column_count: 2,
    cell_stride: 4,
    row_stride: 8,
    slice_stride: 8,
    fields: ["red", "green", "blue", "alpha"].map((name, offset) => field(name, offset)),
    data: pixels,
  });
  expect([...colours]).toEqual([0xff_00_00_ff]);
});

test.each([
  [{ row_stride: 1 }, "A row of 2 cells of 1 bytes cannot take 1 bytes."],
  [{ slice_stride: 3 }, "A slice of 2 rows of 2 bytes cannot take 3 bytes."],
  [{ data: new Uint8Array(3) }, "A slice of the grid takes 4 bytes; the message carries 3."],
  [{ column_count: 1e9, row_stride: 1e9, slice_stride: 2e9 }, /takes 2,000,000,000 bytes; the message carries 8/],
  [{ cell_size: { x: 0, y: 1, z: 1 } }, 'The field "x" is 0; a cell needs a length above 0.'],
  [{ cell_stride: Number.NaN }, 'The field "cell_stride" is not a number.'],
])("%o is refused with its reason", (change, reason) => {
  expect(() => readVoxelGrid({ ...makeGrid(2, () => 1), ...change })).toThrow(reason);
});
