import { boundPoints, type Point } from "@/domain/annotations/geometry";
import { finish, makeShape, placePoint } from "./placing";
import { nothing, type Tool } from "./tool";

interface ExtremeBoxState {
  tool: "extreme-box";
  points: readonly Point[];
  /** Where the pointer is. */
  next: Point | null;
}

const idle: ExtremeBoxState = { tool: "extreme-box", points: [], next: null };
const sides = 4;

const toBox = (points: readonly Point[]) => {
  const bounds = boundPoints(points);
  if (!bounds) return null;
  const { left, top, right, bottom } = bounds;
  return { x: left, y: top, width: right - left, height: bottom - top };
};

/** A box by the outermost points of an object on its four sides, in any order. */
export const extremeBox: Tool<ExtremeBoxState> = {
  name: "Box by four points",
  keys: "shift+r",
  makes: "bbox",
  hint: "Press the object's outermost point on each of its four sides",
  isForPhones: false,
  start: () => idle,
  step(state, event, context) {
    if (event.type === "cancel") return { state: idle };
    if (event.type === "key" || event.type === "release") return { state };
    const at = placePoint(event.at, event.shift, context);
    if (event.type === "move") return { state: { ...state, next: at } };
    const points = [...state.points, at];
    if (points.length < sides) return { state: { ...state, points, next: at }, say: `Point ${points.length} of 4` };
    const box = toBox(points);
    if (!box || box.width < 1 || box.height < 1) return { state, say: "A box needs a pixel of width and height." };
    return finish(idle, makeShape("bbox", { ...box }, context), context);
  },
  view({ points, next }, context) {
    const box = toBox(next && points.length > 0 ? [...points, next] : points);
    if (!box) return nothing;
    return { ...nothing, shapes: [{ ...makeShape("bbox", { ...box }, context), id: "" }], dots: points };
  },
  points: ({ points }) => points,
  resume: (points) => ({ ...idle, points: points.slice(0, sides - 1) }),
};
