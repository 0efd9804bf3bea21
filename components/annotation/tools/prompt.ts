import { boxBetween, measureDistance, moveInto, type Box, type Point } from "@/domain/annotations/geometry";
import { isOffered } from "@/domain/annotations/pre-label";
import { promptLimits, type ModelPrompt } from "@/domain/models/prompt";
import { nothing, toRectangle, type StageEvent, type Tool, type ToolContext, type ToolStep } from "./tool";

type PromptPoint = [x: number, y: number, isMeant: 0 | 1];

interface PromptState {
  tool: "prompt";
  /** What the model was asked with. */
  points: readonly PromptPoint[];
  box: Box | null;
  /** Where a drag began, or the first corner that keys set. */
  from: Point | null;
  to: Point | null;
  isPressed: boolean;
}
type Step = ToolStep<PromptState>;

const idle: PromptState = { tool: "prompt", points: [], box: null, from: null, to: null, isPressed: false };
/** Pixels below which a box has no side. */
const minSide = 1;

/** Whether somebody took or removed what the model answered: the next question is about something else. */
const isOver = ({ answered, shapes }: ToolContext): boolean => {
  if (answered === null || answered.length === 0) return false;
  return !answered.some((id) => {
    const shape = shapes.get(id);
    return shape !== undefined && isOffered(shape);
  });
};

const isEmpty = ({ points, box }: PromptState): boolean => points.length === 0 && box === null;

function ask(state: PromptState, isNew: boolean): Step {
  const { points, box } = state;
  const prompt: ModelPrompt = {
    ...(points.length > 0 && { points: [...points] }),
    ...(box && { box: [box.x, box.y, box.width, box.height] }),
  };
  return { state: { ...state, from: null, to: null, isPressed: false }, ask: { prompt, isNew } };
}

/** One more point, or another box; both of a new question where the one before is answered. */
function add(state: PromptState, part: PromptPoint | Box, context: ToolContext): Step {
  const isNew = isEmpty(state) || isOver(context);
  const before = isNew ? idle : state;
  if (!Array.isArray(part)) return ask({ ...before, box: part }, isNew);
  if (before.points.length >= promptLimits.points)
    return { state, say: `A question has at most ${promptLimits.points} points.` };
  return ask({ ...before, points: [...before.points, part] }, isNew);
}

function toBox(from: Point | null, to: Point): Box | null {
  const box = from && boxBetween(from, to);
  return box && box.width >= minSide && box.height >= minSide ? box : null;
}

function press(state: PromptState, event: StageEvent & { type: "press" }, at: Point, context: ToolContext): Step {
  if (!context.label) return { state, say: "No labels yet." };
  if (!event.shift) return { state: { ...state, from: at, to: at, isPressed: true } };
  const box = toBox(state.from, at);
  if (box) return add(state, box, context);
  return { state: { ...state, from: at, to: at, isPressed: false }, say: "First corner set" };
}

/** Asks a model what is at a point or in a box. What it answers is offered, as what runs predicted. */
export const prompt: Tool<PromptState> = {
  name: "Ask a model",
  keys: "a",
  makes: null,
  hint: "Press on what is meant, with Alt beside it, or drag a box around it; Enter takes the answer",
  isForPhones: true,
  start: () => idle,
  step(state, event, context) {
    if (event.type === "cancel") return { state: idle };
    if (event.type === "key" || !context.canEdit) return { state };
    const at = moveInto(event.at, context.picture);
    if (event.type === "move") return { state: state.from ? { ...state, to: at } : state };
    if (event.type === "press") return press(state, { ...event, type: "press" }, at, context);
    if (!state.isPressed || !state.from) return { state };
    const box = measureDistance(state.from, at) > context.reach ? toBox(state.from, at) : null;
    return add(state, box ?? [...at, event.alt === true ? 0 : 1], context);
  },
  view({ points, box, from, to }, context) {
    const drag = from && to ? toBox(from, to) : null;
    if (isOver(context)) return { ...nothing, lines: drag ? [toRectangle(drag)] : [] };
    const shown = drag ?? box;
    return {
      ...nothing,
      lines: shown ? [toRectangle(shown)] : [],
      dots: points.filter(([, , isMeant]) => isMeant === 1).map(([x, y]): Point => [x, y]),
      hollow: points.filter(([, , isMeant]) => isMeant === 0).map(([x, y]): Point => [x, y]),
    };
  },
  points: () => [],
  resume: () => idle,
};
