import type { Point } from "@/domain/annotations/geometry";
import type { Visibility } from "../shapes/keypoints";
import { finish, makeShape, placePoint } from "./placing";
import { nothing, type Tool, type ToolContext, type ToolStep } from "./tool";

interface KeypointsState {
  tool: "keypoints";
  points: readonly Point[];
  visibility: readonly Visibility[];
  /** Where the pointer is. */
  next: Point | null;
}

const idle: KeypointsState = { tool: "keypoints", points: [], visibility: [], next: null };
/** As many as a label may name; without names a shape may have as many. */
const maxPoints = 100;

function toShape({ points, visibility }: KeypointsState, context: ToolContext) {
  const coordinates = { points: points.map(([x, y]): [number, number] => [x, y]), visibility: [...visibility] };
  return makeShape("keypoints", coordinates, context);
}

function complete(state: KeypointsState, context: ToolContext): ToolStep<KeypointsState> {
  if (!state.visibility.some((each) => each !== 0)) return { state, say: "At least one point has to be there." };
  return finish(idle, toShape(state, context), context);
}

function add(state: KeypointsState, at: Point, visibility: Visibility, context: ToolContext): ToolStep<KeypointsState> {
  const names = context.label?.points ?? [];
  const next = {
    ...state,
    points: [...state.points, at],
    visibility: [...state.visibility, visibility],
    next: at,
  };
  if (next.points.length >= (names.length || maxPoints)) return complete(next, context);
  const following = names[next.points.length];
  return { state: next, say: following === undefined ? `Point ${next.points.length}` : `Next: ${following}` };
}

/** Points of a skeleton in the order of its label, or any points. */
export const keypointsTool: Tool<KeypointsState> = {
  name: "Points",
  keys: "k",
  makes: "keypoints",
  hint: "Press point by point; Alt: hidden, x: not there; Enter ends it",
  isForPhones: false,
  start: () => idle,
  step(state, event, context) {
    if (event.type === "cancel") return { state: idle };
    if (event.type === "key") {
      if (event.key === "Enter" && state.points.length > 0) {
        const missing = (context.label?.points.length ?? 0) - state.points.length;
        const rest = Array.from({ length: Math.max(0, missing) }, (): Point => state.points.at(-1) ?? [0, 0]);
        const all = {
          ...state,
          points: [...state.points, ...rest],
          visibility: [...state.visibility, ...rest.map((): Visibility => 0)],
        };
        return complete(all, context);
      }
      return event.key === "x" ? add(state, state.points.at(-1) ?? state.next ?? [0, 0], 0, context) : { state };
    }
    if (event.type === "release") return { state };
    const at = placePoint(event.at, event.shift, context);
    if (event.type === "move") return { state: { ...state, next: at } };
    return add(state, at, event.alt ? 1 : 2, context);
  },
  view(state, context) {
    if (state.points.length === 0) return nothing;
    return { ...nothing, shapes: [{ ...toShape(state, context), id: "" }], dots: state.points };
  },
  points: ({ points }) => points,
  resume: (points) => ({ ...idle, points, visibility: points.map(() => 2) }),
};
