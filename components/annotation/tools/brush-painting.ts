import type { Outline, Point } from "@/domain/annotations/geometry";
import type { MaskCoordinates } from "@/domain/masks/mask-figure";
import type { ShapeByType } from "../shapes/shape-kind";
import { getKind } from "../shapes/shape-kinds";
import type { BrushState } from "./brush-state";
import { MaskPainting } from "./mask-painting";
import { finish, makeShape } from "./placing";
import { markEdited } from "./select";
import { nothing, type LaterStep, type StageEvent, type ToolContext, type ToolStep, type ToolView } from "./tool";

type Step = ToolStep<BrushState>;
type PointerEventAt = Extract<StageEvent, { at: Point }>;

/** Pixels across; it stays for the page. */
let size = 20;
const sizes = { min: 1, max: 1_000, factor: 1.25 };

const idle: BrushState = { tool: "brush" };

function resize(state: BrushState, isLarger: boolean): Step {
  const next = isLarger ? Math.max(size + 1, size * sizes.factor) : Math.min(size - 1, size / sizes.factor);
  size = Math.round(Math.min(sizes.max, Math.max(sizes.min, next)));
  return { state: { ...state }, say: size === 1 ? "Brush of 1 pixel" : `Brush of ${size} pixels` };
}

/** The one selected mask; null for none. */
function findChosen({ selected: [id, ...others], shapes }: ToolContext): ShapeByType<"mask"> | null {
  const shape = id === undefined || others.length > 0 ? undefined : shapes.get(id);
  return shape?.type === "mask" ? shape : null;
}

/** The mask that the next stroke is of: the selected one, or that of the last stroke while it is being written. */
function findPainting({ painting }: BrushState, context: ToolContext): MaskPainting | null {
  if (painting && painting.waiting > 0 && !painting.isLeft) return painting;
  const chosen = findChosen(context);
  if (!chosen) return null;
  if (painting?.id === chosen.id && painting.saved === chosen.coordinates) return painting;
  return MaskPainting.from(chosen.id, chosen.label_id, chosen.coordinates, context.picture);
}

function press(state: BrushState, event: PointerEventAt, context: ToolContext): Step {
  const value = event.shift ? 0 : 1;
  const found = findPainting(state, context);
  if (!found && value === 0) return { state: { ...state, at: event.at }, say: "Select a mask to erase from it." };
  const painting = found ?? new MaskPainting(context.createId(), context.label?.id ?? "", context.picture);
  if (event.alt) return { state: { ...state, at: event.at, painting, stroke: { value, lasso: [event.at] } } };
  painting.stamp(event.at, size / 2, value);
  return { state: { ...state, at: event.at, painting, stroke: { value, lasso: null } } };
}

function move(state: BrushState, at: Point): BrushState {
  const { stroke, painting, at: before } = state;
  if (!stroke || !painting || !before) return { ...state, at };
  if (stroke.lasso) return { ...state, at, stroke: { ...stroke, lasso: [...stroke.lasso, at] } };
  painting.paintLine(before, at, size / 2, stroke.value);
  return { ...state, at };
}

/** What a stroke makes of the draft, once its pixels are written. */
function toChange(painting: MaskPainting, coordinates: MaskCoordinates | null, context: ToolContext): LaterStep {
  const shape = context.shapes.get(painting.id);
  const wasSaved = painting.saved !== null;
  painting.waiting -= 1;
  // Somebody deleted it meanwhile.
  if (wasSaved && shape?.type !== "mask") return {};
  painting.saved = coordinates;
  if (!coordinates && !shape) return { say: "Nothing is painted." };
  if (!coordinates) return { ops: [{ op: "drop", id: painting.id }], say: "Mask removed: no pixel is left." };
  if (shape?.type !== "mask") {
    const label = context.getLabel(painting.labelId) ?? context.label;
    const made = { ...makeShape("mask", coordinates, { ...context, label }), id: painting.id };
    const { ops = [], say = "", selected = [] } = finish(idle, made, { ...context, label });
    return { ops, say, ...(!painting.isLeft && { selected }) };
  }
  const frame = shape.coordinates.frame;
  if (frame !== undefined) painting.saved = { ...coordinates, ...{ frame } };
  const changed = markEdited({ ...shape, coordinates: painting.saved ?? coordinates });
  return { ops: [{ op: "put", id: shape.id, shape: changed }], say: getKind(changed).describe(changed) };
}

function release(state: BrushState, event: PointerEventAt): Step {
  const moved = move(state, event.at);
  const { painting, stroke } = moved;
  if (!painting || !stroke) return { state: moved };
  if (stroke.lasso) painting.fill(stroke.lasso, stroke.value);
  painting.waiting += 1;
  const later = painting
    .encode()
    .then((coordinates) => (context: ToolContext) => toChange(painting, coordinates, context));
  return { state: { tool: "brush", at: event.at, painting }, later };
}

/** Ends the mask, so that the next stroke begins another one. */
function leave({ painting, at }: BrushState): Step {
  if (painting) painting.isLeft = true;
  // What is being written is shown until it is.
  const shown = painting && painting.waiting > 0 ? { painting } : {};
  return { state: { tool: "brush", ...(at && { at }), ...shown }, selected: [], say: "The next stroke begins a mask" };
}

const cursorPoints = 48;

const listCursor = ([x, y]: Point): Outline => ({
  isClosed: true,
  points: Array.from({ length: cursorPoints }, (_, at): Point => {
    const angle = (at / cursorPoints) * 2 * Math.PI;
    return [x + (size / 2) * Math.cos(angle), y + (size / 2) * Math.sin(angle)];
  }),
});

/** What the brush does: loaded when it is first taken in hand. */
export const painting = {
  step(state: BrushState, event: StageEvent, context: ToolContext): Step {
    switch (event.type) {
      case "cancel":
        // The stroke is not kept; what was stored is read again.
        return state.stroke ? { state: idle } : leave(state);
      case "key":
        if (event.key === "[" || event.key === "]") return resize(state, event.key === "]");
        return event.key === "Enter" ? leave(state) : { state };
      case "press":
        return press(state, event, context);
      case "move":
        return { state: move(state, event.at) };
      case "release":
        return release(state, event);
    }
  },
  view({ at, painting: mask, stroke }: BrushState): ToolView {
    const isChanging = mask !== undefined && (stroke !== undefined || mask.waiting > 0);
    const lines = stroke?.lasso
      ? [{ points: stroke.lasso, isClosed: stroke.lasso.length > 2 }]
      : at
        ? [listCursor(at)]
        : [];
    return { ...nothing, lines, painting: isChanging ? mask : null };
  },
};
