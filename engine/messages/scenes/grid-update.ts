import type { Notes } from "@/engine/messages/notes";
import { readFields, readList, readNumber, toShortName, UnreadableMessage } from "@/engine/messages/reading";
import { isGridUpdateSchema } from "@/engine/messages/scene-schemas";

export const isOccupancySchema = (schemaName: string): boolean => toShortName(schemaName) === "nav_msgs/OccupancyGrid";

interface NamedTopic {
  name: string;
  schema: string;
}

/** How many characters two names begin with together. */
function countShared(a: string, b: string): number {
  let shared = 0;
  while (shared < a.length && a[shared] === b[shared]) shared += 1;
  return shared;
}

/**
 * The topic whose grids a topic of updates changes: the one named as it is without `_updates`, as publishers of ROS call
 * them, else the one whose name is most alike. Null where a recording has no such grids.
 */
export function findUpdatedTopic(updates: string, topics: readonly NamedTopic[]): string | null {
  let best: { name: string; shared: number } | null = null;
  for (const { name, schema } of topics) {
    if (!isOccupancySchema(schema)) continue;
    if (`${name}_updates` === updates) return name;
    const shared = countShared(name, updates);
    if (best === null || shared > best.shared) best = { name, shared };
  }
  return best?.name ?? null;
}

/** The topics of updates that change the grids of a topic. */
export const listUpdateTopics = (grid: string, topics: readonly NamedTopic[]): string[] =>
  topics.flatMap(({ name, schema }) =>
    isGridUpdateSchema(schema) && findUpdatedTopic(name, topics) === grid ? [name] : [],
  );

/** Cells of an occupancy grid, by rows. */
interface Cells {
  columns: number;
  rows: number;
  values: ArrayLike<unknown>;
}

/** The cells with those of `map_msgs/OccupancyGridUpdate` in their place, one after the other. */
export function applyUpdates({ columns, rows, values }: Cells, updates: readonly unknown[], notes: Notes): Cells {
  if (updates.length === 0) return { columns, rows, values };
  const changed = Int16Array.from({ length: columns * rows }, (_, at) => Number(values[at]));
  for (const each of updates) {
    try {
      applyUpdate({ columns, rows, changed }, each);
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error;
      notes.count(`update not drawn: ${error.message}`, `updates not drawn: ${error.message}`);
    }
  }
  return { columns, rows, values: changed };
}

function applyUpdate(
  { columns, rows, changed }: { columns: number; rows: number; changed: Int16Array },
  value: unknown,
) {
  const update = readFields(value);
  const [left, bottom] = [readNumber(update, "x"), readNumber(update, "y")];
  const [width, height] = [readNumber(update, "width"), readNumber(update, "height")];
  const cells = readList(update, "data");
  const isWithin = [left, bottom, width, height].every((part) => Number.isInteger(part) && part >= 0);
  if (!isWithin || left + width > columns || bottom + height > rows)
    throw new UnreadableMessage(
      `An update of ${width} × ${height} cells at ${left}, ${bottom} does not fit into ${columns} × ${rows}.`,
    );
  if (cells.length < width * height)
    throw new UnreadableMessage(
      `An update says ${width} × ${height} cells but carries ${cells.length.toLocaleString("en")}.`,
    );
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      changed[(bottom + row) * columns + left + column] = Number(cells[row * width + column]);
}
