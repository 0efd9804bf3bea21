import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import type { DraftShapes } from "@/domain/annotations/draft-shape";
import { mayHold, type EditorLabel } from "@/domain/annotations/editor-label";
import type { Point } from "@/domain/annotations/geometry";
import { getKind } from "../shapes/shape-kinds";
import { boundShapes, markEdited, moveShapes } from "../tools/select";
import { getTool, type ToolName } from "../tools/tools";

/** What is done to the selected shapes by keys and buttons: pure, each returns the changes. */

interface Size {
  width: number;
  height: number;
}

const put = (shape: DraftShape): DraftOp => ({ op: "put", id: shape.id, shape: markEdited(shape) });

export const nudge = (shapes: readonly DraftShape[], by: Point, picture: Size): DraftOp[] =>
  moveShapes(shapes, by, picture).map(put);

/** Moves the right and the lower side; no side becomes shorter than a pixel or leaves the picture. */
export function stretch(shapes: readonly DraftShape[], [dx, dy]: Point, { width, height }: Size): DraftOp[] {
  return shapes.flatMap((shape) => {
    const bounds = getKind(shape).bound(shape);
    if (!bounds) return [];
    const right = Math.min(Math.max(bounds.right + dx, bounds.left + 1), Math.max(width, bounds.right));
    const bottom = Math.min(Math.max(bounds.bottom + dy, bounds.top + 1), Math.max(height, bounds.bottom));
    return [put(getKind(shape).resize(shape, { ...bounds, right, bottom }))];
  });
}

/** Copies of shapes, moved by so much where that is possible, in one group if they were. */
export function copyShapes(
  shapes: readonly DraftShape[],
  by: Point,
  { picture, top, createId }: { picture: Size; top: number; createId: () => string },
): DraftShape[] {
  const bounds = boundShapes(shapes);
  const moved = bounds ? moveShapes(shapes, by, picture) : [];
  const byId = new Map(moved.map((shape) => [shape.id, shape]));
  const groups = new Map<unknown, string>();
  return shapes.map((shape, at) => {
    const attributes: Record<string, unknown> = { ...shape.attributes, source: "human" };
    const { group } = attributes;
    if (group !== undefined) {
      groups.set(group, groups.get(group) ?? createId());
      attributes["group"] = groups.get(group);
    }
    return { ...(byId.get(shape.id) ?? shape), id: createId(), attributes, position: top + at };
  });
}

/** Gives shapes a label, as far as it may have their types; those that it may not are left as they are. */
export const relabel = (shapes: readonly DraftShape[], label: EditorLabel): DraftOp[] =>
  shapes
    .filter((shape) => shape.label_id !== label.id && mayHold(label, shape.type))
    .map((shape) => put({ ...shape, label_id: label.id }));

/** Puts shapes into one group, or takes all of a group out of it. */
export function regroup(shapes: readonly DraftShape[], createId: () => string): DraftOp[] {
  const groups = new Set(shapes.map((shape) => shape.attributes["group"]));
  const isOne = groups.size === 1 && !groups.has(undefined);
  if (isOne)
    return shapes.map((shape) => {
      const { group: _, ...attributes } = shape.attributes;
      return put({ ...shape, attributes });
    });
  if (shapes.length < 2) return [];
  const group = createId();
  return shapes.map((shape) => put({ ...shape, attributes: { ...shape.attributes, group } }));
}

/** Moves a shape one place up or down in the order of drawing; nothing where it is the last one there. */
export function reorder(listed: readonly DraftShape[], id: string, isUp: boolean): DraftOp[] {
  const at = listed.findIndex((shape) => shape.id === id);
  const step = isUp ? 1 : -1;
  const [over, beyond] = [listed[at + step], listed[at + 2 * step]];
  if (at < 0 || !over) return [];
  const position = beyond ? (over.position + beyond.position) / 2 : over.position + step;
  return [{ op: "place", id, position }];
}

/** The next shape to select after one, forwards or backwards; null after the last. */
export function findNext(listed: readonly DraftShape[], id: string | null, isForwards: boolean): string | null {
  if (id === null) return (isForwards ? listed[0] : listed.at(-1))?.id ?? null;
  const at = listed.findIndex((shape) => shape.id === id);
  return at < 0 ? (listed[0]?.id ?? null) : (listed[at + (isForwards ? 1 : -1)]?.id ?? null);
}

export const pickShapes = (shapes: DraftShapes, ids: readonly string[]): DraftShape[] =>
  ids.flatMap((id) => shapes.get(id) ?? []);

/** Who stays selected when a tool is taken in hand: all with one that draws nothing, else what the tool goes on with. */
export function keepSelected(
  { shapes, selected }: { shapes: DraftShapes; selected: readonly string[] },
  tool: ToolName,
): readonly string[] {
  const { makes, continues = false } = getTool(tool);
  const [only, ...others] = selected;
  const isContinued = continues && others.length === 0 && shapes.get(only ?? "")?.type === makes;
  return (makes === null && tool !== "prompt") || isContinued ? selected : [];
}
