import { measureDistance, type Point } from "@/domain/annotations/geometry";
import { finish, makeShape, placePoint } from "./placing";
import { nothing, type Tool, type ToolContext, type ToolStep } from "./tool";

interface PathState<Name extends "polygon" | "polyline"> {
  tool: Name;
  points: readonly Point[];
  /** Where the pointer is. */
  next: Point | null;
}

/** As many as a shape may have. */
const maxPoints = 10_000;

interface PathOptions<Name> {
  type: Name;
  name: string;
  keys: string;
  hint: string;
  isClosed: boolean;
  minPoints: number;
}

/** Whether a press finishes the shape: on its last point, or on the first one of an area. */
export function isEnd(
  at: Point,
  points: readonly Point[],
  { reach, isClosed, minPoints }: { reach: number; isClosed: boolean; minPoints: number },
): boolean {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < 2) return false;
  return (
    measureDistance(at, last) < reach / 2 ||
    (isClosed && points.length >= minPoints && measureDistance(at, first) < reach)
  );
}

/** A line through points that are pressed one after the other, or drawn while the pointer is held. */
function createPathTool<Name extends "polygon" | "polyline">(options: PathOptions<Name>): Tool<PathState<Name>> {
  const { type, name, keys, hint, isClosed, minPoints } = options;
  type State = PathState<Name>;
  const idle: State = { tool: type, points: [], next: null };

  function complete(state: State, context: ToolContext): ToolStep<State> {
    const points = state.points.map(([x, y]): [number, number] => [x, y]);
    if (points.length < minPoints) return { state, say: `A ${name.toLowerCase()} needs ${minPoints} points.` };
    const shape =
      type === "polygon" ? makeShape("polygon", { points }, context) : makeShape("polyline", { points }, context);
    return finish(idle, shape, context);
  }

  return {
    name,
    keys,
    makes: type,
    hint,
    isForPhones: false,
    start: () => idle,
    step(state, event, context) {
      if (event.type === "cancel") return { state: idle };
      if (event.type === "key")
        return event.key === "Enter" && state.points.length > 0 ? complete(state, context) : { state };
      if (event.type === "release") return { state };
      const at = placePoint(event.at, event.shift, context);
      if (event.type === "move") return { state: { ...state, next: at } };
      if (isEnd(at, state.points, { reach: context.reach, isClosed, minPoints }) && state.points.length >= minPoints)
        return complete(state, context);
      if (state.points.length >= maxPoints) return { state, say: `A shape has at most ${maxPoints} points.` };
      const points = [...state.points, at];
      return { state: { ...state, points, next: at }, say: `Point ${points.length}` };
    },
    view({ points, next }) {
      if (points.length === 0) return nothing;
      const all = next ? [...points, next] : points;
      return { ...nothing, lines: [{ points: all, isClosed: isClosed && all.length > 2 }], dots: points };
    },
    points: ({ points }) => points,
    resume: (points) => ({ ...idle, points }),
  };
}

export const polygonTool = createPathTool({
  type: "polygon",
  name: "Polygon",
  keys: "p",
  hint: "Press point by point; Enter, or the first point again, closes it",
  isClosed: true,
  minPoints: 3,
});

export const polylineTool = createPathTool({
  type: "polyline",
  name: "Line",
  keys: "l",
  hint: "Press point by point; Enter, or the last point again, ends it",
  isClosed: false,
  minPoints: 2,
});
