import { boxBetween, measureDistance, type Point } from "@/domain/annotations/geometry";
import { finish, makeShape, placePoint } from "./placing";
import { nothing, type Tool, type ToolContext, type ToolStep } from "./tool";

interface BoxState {
  tool: "box";
  /** The first corner. */
  from: Point | null;
  to: Point | null;
  /** Whether the pointer has been pressed and not released since. */
  isPressed: boolean;
}

const idle: BoxState = { tool: "box", from: null, to: null, isPressed: false };
/** Pixels below which a box has no side. */
const minSide = 1;

function complete(state: BoxState, to: Point, context: ToolContext): ToolStep<BoxState> {
  const box = state.from ? boxBetween(state.from, to) : null;
  if (!box || box.width < minSide || box.height < minSide)
    return { state: { ...state, isPressed: false }, say: "A box needs a pixel of width and height." };
  return finish(idle, makeShape("bbox", { ...box }, context), context);
}

/** A box by two opposite corners: pressed and dragged, or pressed one after the other. */
export const box: Tool<BoxState> = {
  name: "Box",
  keys: "r",
  makes: "bbox",
  hint: "Drag from corner to corner, or press both corners",
  isForPhones: true,
  start: () => idle,
  step(state, event, context) {
    if (event.type === "cancel") return { state: idle };
    if (event.type === "key") return event.key === "Enter" && state.to ? complete(state, state.to, context) : { state };
    const at = placePoint(event.at, event.shift, context);
    if (event.type === "move") return { state: { ...state, to: at } };
    if (event.type === "press") {
      if (state.from) return complete(state, at, context);
      return { state: { tool: "box", from: at, to: at, isPressed: true }, say: "First corner set" };
    }
    const isDragged = state.isPressed && state.from && measureDistance(state.from, at) > context.reach;
    return isDragged ? complete(state, at, context) : { state: { ...state, isPressed: false } };
  },
  view({ from, to }, context) {
    if (!from || !to) return nothing;
    return { ...nothing, shapes: [{ ...makeShape("bbox", { ...boxBetween(from, to) }, context), id: "" }] };
  },
  points: ({ from }) => (from ? [from] : []),
  resume: ([from]) => (from ? { tool: "box", from, to: from, isPressed: false } : idle),
};
