import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import type { DraftShapes } from "@/domain/annotations/draft-shape";
import { nothing, type Tool, type ToolState } from "./tool";

interface TagsState extends ToolState {
  tool: "tags";
}

const idle: TagsState = { tool: "tags" };

/** The tag of a label on the picture; null where it has none. */
const findTag = (shapes: DraftShapes, labelId: string): DraftShape | null =>
  [...shapes.values()].find((shape) => shape.type === "classification" && shape.label_id === labelId) ?? null;

/** Which labels the picture as a whole has. */
export const listTags = (shapes: DraftShapes): ReadonlySet<string> =>
  new Set([...shapes.values()].flatMap((shape) => (shape.type === "classification" ? [shape.label_id] : [])));

/** The changes that give the picture a tag, or take it. */
export function toggleTag(shapes: DraftShapes, labelId: string, createId: () => string, top: number): DraftOp[] {
  const tag = findTag(shapes, labelId);
  if (tag) return [{ op: "drop", id: tag.id }];
  const id = createId();
  const attributes = { source: "human" };
  const shape = { id, label_id: labelId, type: "classification" as const, coordinates: {}, attributes, position: top };
  return [{ op: "put", id, shape }];
}

/** Labels of the picture as a whole: its work is done by the labels' own keys and by a list. */
export const tags: Tool<TagsState> = {
  name: "Tags",
  keys: "t",
  makes: "classification",
  hint: "Keys of labels give the picture a tag, or take it",
  isForPhones: true,
  start: () => idle,
  step: (state) => ({ state }),
  view: () => nothing,
  points: () => [],
  resume: () => idle,
};
