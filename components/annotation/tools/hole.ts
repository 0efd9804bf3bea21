import { isInArea, measureArea, type Point } from "@/domain/annotations/geometry";
import type { ShapeByType } from "../shapes/shape-kind";
import { isEnd } from "./path";
import { placePoint } from "./placing";
import { markEdited } from "./select";
import { nothing, type Tool, type ToolContext, type ToolStep } from "./tool";

interface HoleState {
  tool: "hole";
  points: readonly Point[];
  /** Where the pointer is. */
  next: Point | null;
}

const idle: HoleState = { tool: "hole", points: [], next: null };
const minPoints = 3;
/** As many as a shape may have, with those of its holes. */
const maxPoints = 10_000;

/** The one selected polygon; null for none. */
function findPolygon({ selected: [id, ...others], shapes }: ToolContext): ShapeByType<"polygon"> | null {
  const shape = id === undefined || others.length > 0 ? undefined : shapes.get(id);
  return shape?.type === "polygon" ? shape : null;
}

function complete(state: HoleState, context: ToolContext): ToolStep<HoleState> {
  const polygon = findPolygon(context);
  if (!polygon) return { state: idle, say: "Select the polygon that gets the hole." };
  if (state.points.length < minPoints) return { state, say: "A hole needs 3 points." };
  const { points, holes = [] } = polygon.coordinates;
  const hole = state.points.map(([x, y]): [number, number] => [x, y]);
  if (measureArea(hole) === 0) return { state, say: "A hole needs an area." };
  if (points.length + holes.flat().length + hole.length > maxPoints)
    return { state, say: `A shape has at most ${maxPoints} points.` };
  const shape = markEdited({ ...polygon, coordinates: { ...polygon.coordinates, holes: [...holes, hole] } });
  return { state: idle, ops: [{ op: "put", id: shape.id, shape }], say: "Hole cut" };
}

/** Cuts a hole into the selected polygon, point by point as a polygon is drawn. */
export const hole: Tool<HoleState> = {
  name: "Hole",
  keys: "shift+d",
  makes: "polygon",
  hint: "Press point by point inside of the selected polygon; Enter, or the first point again, cuts the hole",
  isForPhones: false,
  continues: true,
  start: () => idle,
  step(state, event, context) {
    switch (event.type) {
      case "cancel":
        return { state: idle };
      case "key":
        return event.key === "Enter" && state.points.length > 0 ? complete(state, context) : { state };
      case "release":
        return { state };
      case "move":
        return { state: { ...state, next: placePoint(event.at, event.shift, context) } };
      case "press": {
        const at = placePoint(event.at, event.shift, context);
        if (
          isEnd(at, state.points, { reach: context.reach, isClosed: true, minPoints }) &&
          state.points.length >= minPoints
        )
          return complete(state, context);
        const polygon = findPolygon(context);
        if (!polygon) return { state, say: "Select the polygon that gets the hole." };
        if (!isInArea(at, polygon.coordinates.points)) return { state, say: "A hole lies inside of its polygon." };
        const points = [...state.points, at];
        return { state: { ...state, points, next: at }, say: `Point ${points.length}` };
      }
    }
  },
  view({ points, next }) {
    if (points.length === 0) return nothing;
    const all = next ? [...points, next] : points;
    return { ...nothing, lines: [{ points: all, isClosed: all.length > 2 }], dots: points };
  },
  points: ({ points }) => points,
  resume: (points) => ({ ...idle, points }),
};
