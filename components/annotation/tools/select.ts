import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import {
  areTouching,
  boxBetween,
  findNearestPoint,
  joinBounds,
  limitMove,
  isWithin,
  measureDistance,
  toBounds,
  widen,
  type Bounds,
  type Point,
} from "@/domain/annotations/geometry";
import { getKind } from "../shapes/shape-kinds";
import { placePoint } from "./placing";
import { nothing, type Tool, type ToolContext, type ToolStep } from "./tool";

type Doing =
  | { doing: "nothing" }
  /** Pressed on shapes, and not moved far enough to move them. */
  | { doing: "pressing"; from: Point; ids: readonly string[] }
  | { doing: "moving"; from: Point; shapes: readonly DraftShape[] }
  | { doing: "reshaping"; before: DraftShape; handle: number; isTurning: boolean; after: DraftShape }
  | { doing: "surrounding"; from: Point; to: Point; kept: readonly string[] };

type SelectState = { tool: "select" } & Doing;

const idle: SelectState = { tool: "select", doing: "nothing" };

const listShapes = (ids: readonly string[], { shapes }: ToolContext): DraftShape[] =>
  ids.flatMap((id) => shapes.get(id) ?? []);

/** The bounds of shapes together; null where none marks a place. */
export function boundShapes(shapes: readonly DraftShape[]): Bounds | null {
  const all = shapes.flatMap((shape) => getKind(shape).bound(shape) ?? []);
  return all.length === 0 ? null : all.reduce(joinBounds);
}

/** Shapes moved together, as far as the picture goes. */
export function moveShapes(
  shapes: readonly DraftShape[],
  by: Point,
  picture: { width: number; height: number },
): DraftShape[] {
  const bounds = boundShapes(shapes);
  if (!bounds) return [];
  const move = limitMove(bounds, by, picture);
  return shapes.map((shape) => getKind(shape).move(shape, move));
}

const toOps = (shapes: readonly DraftShape[]): DraftOp[] =>
  shapes.map((shape) => ({ op: "put", id: shape.id, shape: markEdited(shape) }));

/** What a person changed of a model's shape is no longer only the model's. */
export const markEdited = (shape: DraftShape): DraftShape =>
  shape.attributes["source"] === "model"
    ? { ...shape, attributes: { ...shape.attributes, source: "model_edited" } }
    : shape;

/** The handle of the one selected shape at a place; null for none. */
function findHandle(at: Point, context: ToolContext) {
  const [shape, ...others] = listShapes(context.selected, context);
  if (!shape || others.length > 0 || !context.canEdit) return null;
  const handles = getKind(shape).handles(shape, context.getLabel(shape.label_id), context.reach);
  const handle = findNearestPoint(
    at,
    handles.map((each) => each.at),
    context.reach,
  );
  return handle === null ? null : { shape, handle, isTurning: handles[handle]?.stem !== undefined };
}

/** Whether a press there would select, move or reshape. */
export function isTouched(at: Point, context: ToolContext): boolean {
  const around = boundShapes(listShapes(context.selected, context));
  const isAround = around !== null && isWithin(at, widen(around, context.reach));
  return isAround || context.hit(at) !== null || findHandle(at, context) !== null;
}

/** With Alt a press on a point takes it out, one on a line puts one in. */
function changePoints(at: Point, context: ToolContext): ToolStep<SelectState> {
  const found = findHandle(at, context);
  const shape = found?.shape ?? context.hit(at);
  if (!shape) return { state: idle };
  const kind = getKind(shape);
  const changed = found ? kind.removePoint(shape, found.handle) : kind.addPoint(shape, at, context.reach);
  if (!changed) return { state: idle, say: found ? "This shape needs its points." : "No line is here." };
  return { state: idle, ops: toOps([changed]), selected: [shape.id], say: found ? "Point removed" : "Point added" };
}

function press(at: Point, isAdding: boolean, context: ToolContext): ToolStep<SelectState> {
  const found = findHandle(at, context);
  if (found && (!isAdding || found.isTurning)) {
    const { shape: before, handle, isTurning } = found;
    return { state: { tool: "select", doing: "reshaping", before, handle, isTurning, after: before } };
  }
  const shape = context.hit(at);
  if (!shape) {
    const kept = isAdding ? context.selected : [];
    return { state: { tool: "select", doing: "surrounding", from: at, to: at, kept }, selected: kept };
  }
  const isSelected = context.selected.includes(shape.id);
  if (isAdding) {
    const selected = isSelected ? context.selected.filter((id) => id !== shape.id) : [...context.selected, shape.id];
    return { state: idle, selected };
  }
  const ids = isSelected ? context.selected : [shape.id];
  return { state: { tool: "select", doing: "pressing", from: at, ids }, selected: ids };
}

function move(state: SelectState, at: Point, isSnapping: boolean | undefined, context: ToolContext): SelectState {
  switch (state.doing) {
    case "pressing": {
      // A hand that trembles does not move a shape.
      if (measureDistance(state.from, at) < context.reach / 2 || !context.canEdit) return state;
      const shapes = listShapes(state.ids, context);
      const by: Point = [at[0] - state.from[0], at[1] - state.from[1]];
      return { tool: "select", doing: "moving", from: state.from, shapes: moveShapes(shapes, by, context.picture) };
    }
    case "moving": {
      const shapes = listShapes(
        state.shapes.map(({ id }) => id),
        context,
      );
      const by: Point = [at[0] - state.from[0], at[1] - state.from[1]];
      return { ...state, shapes: moveShapes(shapes, by, context.picture) };
    }
    case "reshaping": {
      // A handle that turns lies outside of its shape, and may be outside of the picture.
      const to = state.isTurning ? at : placePoint(at, isSnapping, context);
      return { ...state, after: getKind(state.before).moveHandle(state.before, state.handle, to, isSnapping) };
    }
    case "surrounding":
      return { ...state, to: at };
    default:
      return state;
  }
}

/** Whether a shape is large enough to be found again. */
const isSeen = (shape: DraftShape): boolean => {
  if (shape.type !== "bbox") return true;
  return shape.coordinates.width >= 1 && shape.coordinates.height >= 1;
};

function release(state: SelectState, context: ToolContext): ToolStep<SelectState> {
  switch (state.doing) {
    case "moving":
      return { state: idle, ops: toOps(state.shapes) };
    case "reshaping":
      if (state.after === state.before) return { state: idle };
      if (!isSeen(state.after)) return { state: idle, say: "A box needs a pixel of width and height." };
      return { state: idle, ops: toOps([state.after]) };
    case "surrounding": {
      const around = toBounds(boxBetween(state.from, state.to));
      if (measureDistance(state.from, state.to) < context.reach / 2) return { state: idle };
      const touched = context.near(around).filter((shape) => {
        const bounds = getKind(shape).bound(shape);
        return bounds && areTouching(bounds, around);
      });
      const selected = [...new Set([...state.kept, ...touched.map(({ id }) => id)])];
      return { state: idle, selected, say: `${selected.length} selected` };
    }
    default:
      return { state: idle };
  }
}

/** Selects, moves and reshapes. */
export const select: Tool<SelectState> = {
  name: "Select",
  keys: "v",
  makes: null,
  hint: "Press a shape to select it; drag it or its handles; Alt: point in or out",
  isForPhones: true,
  start: () => idle,
  step(state, event, context) {
    switch (event.type) {
      case "cancel":
        return state.doing === "nothing" && context.selected.length > 0
          ? { state: idle, selected: [] }
          : { state: idle };
      case "key":
        return { state };
      case "press":
        return event.alt && context.canEdit
          ? changePoints(event.at, context)
          : press(event.at, event.shift === true, context);
      case "move":
        return { state: move(state, event.at, event.shift, context) };
      case "release":
        return release(move(state, event.at, event.shift, context), context);
    }
  },
  view(state) {
    switch (state.doing) {
      case "moving":
        return { ...nothing, shapes: state.shapes };
      case "reshaping":
        return { ...nothing, shapes: [state.after] };
      case "surrounding":
        return { ...nothing, marquee: toBounds(boxBetween(state.from, state.to)) };
      default:
        return nothing;
    }
  },
  points: () => [],
  resume: () => idle,
};
