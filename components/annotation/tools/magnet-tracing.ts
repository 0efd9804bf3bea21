import { simplify, type Point } from "@/domain/annotations/geometry";
import { idle, listPoints, type MagnetState } from "./magnet-state";
import { aim, prepare, Wire } from "./magnet-wire";
import { isEnd } from "./path";
import { finish, makeShape, placePoint } from "./placing";
import { nothing, type StageEvent, type ToolContext, type ToolStep, type ToolView } from "./tool";

type Step = ToolStep<MagnetState>;

/** As many as a shape may have. */
const maxPoints = 10_000;
const minPoints = 3;

const simplified = (wire: Wire, line: readonly Point[]): Point[] => simplify(line, wire.tolerance);

/** The lines of the last press, begun anew after a reload. */
function withWire(state: MagnetState, { picture, scale }: ToolContext): MagnetState {
  const last = state.legs.at(-1)?.at(-1);
  if (!last || state.wire) return state;
  const { url = "", width, height } = picture;
  const request = aim({ url, width, height }, last, scale, state.legs.length === 1);
  return { ...state, wire: new Wire(last, request) };
}

/** With the line from the last press to a place, whose first point is there already. */
function addLeg({ legs, wire }: MagnetState, to: Point, isExact: boolean): readonly (readonly Point[])[] {
  if (!wire) return legs;
  const [start = to, ...line] = simplified(wire, wire.lead(to, isExact));
  return legs.length === 1 ? [[start], line] : [...legs, line];
}

/** The shape of what is drawn: its last line leads back to the first press. */
function close(state: MagnetState, context: ToolContext): Step {
  const [first] = listPoints(state);
  const legs = first && state.wire ? addLeg(state, first, true) : state.legs;
  // The first point is not said twice.
  const points = legs.flat().slice(0, legs.length > state.legs.length ? -1 : undefined);
  const ring = points.map(([x, y]): [number, number] => [x, y]);
  if (ring.length < minPoints) return { state, say: `A polygon needs ${minPoints} points.` };
  return finish(idle, makeShape("polygon", { points: ring }, context), context);
}

function complete(state: MagnetState, context: ToolContext): Step {
  const { wire } = state;
  if (state.legs.length < 2) return { state, say: "Press at two places at least." };
  if (!wire || wire.isSettled) return close(state, context);
  const later = wire.settled.then(() => (now: ToolContext) => {
    const { ops = [], selected = [], say = "" } = close(state, { ...now, label: context.label });
    return { ops, selected, say };
  });
  return { state: idle, later };
}

function press(state: MagnetState, at: Point, isExact: boolean, context: ToolContext): Step {
  const drawn = listPoints(state);
  const { reach } = context;
  if (state.legs.length > 1 && isEnd(at, drawn, { reach, isClosed: true, minPoints })) return complete(state, context);
  if (state.wire && !state.wire.isSettled) return { state, say: "One moment: the picture is being read." };
  const legs = state.legs.length === 0 ? [[at]] : addLeg(state, at, isExact);
  // The same place again.
  if (legs.at(-1)?.length === 0) return { state };
  if (legs.flat().length > maxPoints) return { state, say: `A shape has at most ${maxPoints} points.` };
  const next = withWire({ ...state, legs, next: at, wire: null }, context);
  const { wire } = next;
  if (!wire) return { state: next };
  const later = wire.settled.then(
    () => () => (wire.failure === null ? {} : { say: `Lines are straight: ${wire.failure}` }),
  );
  return { state: next, later, say: `Point ${legs.length}` };
}

/** What the magnet does: loaded when it is first taken in hand. */
export const tracing = {
  step(given: MagnetState, event: StageEvent, context: ToolContext): Step {
    const state = withWire(given, context);
    switch (event.type) {
      case "cancel":
        return { state: idle };
      case "key":
        return event.key === "Enter" && state.legs.length > 0 ? complete(state, context) : { state };
      case "release":
        return { state };
      case "move": {
        if (context.picture.url !== undefined) prepare(context.picture.url);
        const isExact = event.shift === true;
        return { state: { ...state, next: placePoint(event.at, isExact, context), isExact } };
      }
      case "press":
        return press(state, placePoint(event.at, event.shift, context), event.shift === true, context);
    }
  },
  view(state: MagnetState): ToolView {
    const { legs, next, isExact, wire } = state;
    if (legs.length === 0) return nothing;
    const [start, ...line] = wire && next ? wire.lead(next, isExact) : [];
    const drawn = legs.length === 1 && start ? [start] : listPoints(state);
    const presses = legs.flatMap((leg) => leg.slice(-1));
    return {
      ...nothing,
      lines: [{ points: [...drawn, ...line], isClosed: false }],
      dots: legs.length === 1 && start ? [start] : presses,
    };
  },
};
