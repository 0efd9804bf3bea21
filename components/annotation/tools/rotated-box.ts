import { measureDistance, type Point } from "@/domain/annotations/geometry";
import { toRotation, turnPoint } from "@/domain/annotations/rotated-box";
import { finish, makeShape, placePoint } from "./placing";
import { nothing, type Tool, type ToolContext, type ToolStep } from "./tool";

interface RotatedBoxState {
  tool: "rotated-box";
  /** The ends of its first side. */
  points: readonly Point[];
  /** Where the pointer is. */
  next: Point | null;
}

const idle: RotatedBoxState = { tool: "rotated-box", points: [], next: null };

const toAngle = (from: Point, to: Point): number => (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI;

/** A place at the same distance from another one, in a direction of full steps. */
function snapAngle(from: Point, to: Point): Point {
  const [x, y] = from;
  return turnPoint([x + measureDistance(from, to), y], from, toRotation(toAngle(from, to), true));
}

/** The box with a side between two points, that reaches as far as a third one. */
function toBox([from, to]: readonly [Point, Point], far: Point) {
  const angle = toAngle(from, to);
  const width = measureDistance(from, to);
  // As if the side were level.
  const depth = turnPoint(far, from, -angle)[1] - from[1];
  const [x, y] = turnPoint([from[0] + width / 2, from[1] + depth / 2], from, angle);
  const height = Math.abs(depth);
  // What floating point makes of straight angles is no rotation.
  const rotation = Number(toRotation(angle).toFixed(6)) % 360;
  return { x: x - width / 2, y: y - height / 2, width, height, ...(rotation !== 0 && { rotation }) };
}

function placeNext(
  { points: [from, to] }: RotatedBoxState,
  at: Point,
  isSnapping = false,
  context: ToolContext,
): Point {
  if (!from || to || !isSnapping) return placePoint(at, isSnapping, context);
  return placePoint(snapAngle(from, at), false, context);
}

function press(state: RotatedBoxState, at: Point, context: ToolContext): ToolStep<RotatedBoxState> {
  const [from, to] = state.points;
  if (!from) return { state: { ...state, points: [at], next: at }, say: "First corner set" };
  if (!to) {
    if (measureDistance(from, at) < 1) return { state, say: "A box needs a pixel of width and height." };
    return { state: { ...state, points: [from, at], next: at }, say: "First side set" };
  }
  const box = toBox([from, to], at);
  if (box.height < 1) return { state, say: "A box needs a pixel of width and height." };
  return finish(idle, makeShape("bbox", box, context), context);
}

/** A box that is turned: the ends of one of its sides, then how far it reaches from there. */
export const rotatedBox: Tool<RotatedBoxState> = {
  name: "Rotated box",
  keys: "u",
  makes: "bbox",
  hint: "Press both ends of a side, with Shift in steps of 15°; then how far the box reaches",
  isForPhones: false,
  start: () => idle,
  step(state, event, context) {
    switch (event.type) {
      case "cancel":
        return { state: idle };
      case "key":
        return event.key === "Enter" && state.next ? press(state, state.next, context) : { state };
      case "move":
        return { state: { ...state, next: placeNext(state, event.at, event.shift, context) } };
      case "press":
        return press(state, placeNext(state, event.at, event.shift, context), context);
      case "release":
        return { state };
    }
  },
  view({ points, next }, context) {
    const [from, to] = points;
    if (!from) return nothing;
    const dots = points;
    if (!to || !next) return { ...nothing, lines: [{ points: [from, next ?? from], isClosed: false }], dots };
    return { ...nothing, shapes: [{ ...makeShape("bbox", toBox([from, to], next), context), id: "" }], dots };
  },
  points: ({ points }) => points,
  resume: (points) => ({ ...idle, points: points.slice(0, 2) }),
};
