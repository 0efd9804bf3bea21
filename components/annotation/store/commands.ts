import { v4 as uuidv4 } from "uuid";
import type { DraftShape } from "@/domain/annotations/draft-schema";
import { mayHold } from "@/domain/annotations/editor-label";
import type { Point } from "@/domain/annotations/geometry";
import { stepRotation } from "@/domain/annotations/rotated-box";
import { turnBox } from "../shapes/bbox";
import { getKind } from "../shapes/shape-kinds";
import { boundShapes, markEdited } from "../tools/select";
import { listTags, toggleTag } from "../tools/tags";
import { getTool, type ToolName } from "../tools/tools";
import { convert, type AreaType } from "./conversions";
import type { EditorStore } from "./editor-store";
import { copyShapes, findNext, nudge, pickShapes, regroup, relabel, reorder, stretch } from "./selection";

/** What keys and buttons do, beside the tools. */

const listSelected = ({ snapshot }: EditorStore): DraftShape[] => pickShapes(snapshot.shapes, snapshot.selected);

/** What was copied last, also on another picture; it ends with the page. */
let copied: readonly DraftShape[] = [];

/** What copies need. */
const getMeans = ({ picture, top }: EditorStore) => ({ picture, top, createId: uuidv4 });

export function describeShape(store: EditorStore, shape: DraftShape): string {
  const kind = getKind(shape);
  return `${kind.name}, ${store.getLabel(shape.label_id)?.name ?? "no label"}, ${kind.describe(shape)}`;
}

/** Moves the place where keys draw, and what is drawn with it. */
function moveCursor(store: EditorStore, by: Point): void {
  const { width, height } = store.picture;
  const { place } = store.view;
  const [x, y] = store.cursor ?? [Math.round(place.x), Math.round(place.y)];
  const to: Point = [Math.min(Math.max(x + by[0], 0), width), Math.min(Math.max(y + by[1], 0), height)];
  store.setCursor(to);
  store.view.reveal(to);
  store.send({ type: "move", at: to });
}

/** Arrows: the point of the shape that keys move, else the selected shapes, else the place where keys draw. */
export function moveBy(store: EditorStore, by: Point, isRepeated: boolean): void {
  const { snapshot } = store;
  if (snapshot.tool !== "select") return moveCursor(store, by);
  const [shape, ...others] = listSelected(store);
  if (!shape) return store.view.move(-by[0] * store.view.scale, -by[1] * store.view.scale);
  const work = isRepeated ? "arrows" : null;
  if (snapshot.point === null || others.length > 0) store.commit(nudge(listSelected(store), by, store.picture), work);
  else {
    const kind = getKind(shape);
    const handle = kind.handles(shape, store.getLabel(shape.label_id), store.reach)[snapshot.point];
    if (!handle) return;
    const { at } = handle;
    if (handle.stem) return turnBy(store, by[0] + by[1] > 0 ? 1 : -1, Math.abs(by[0] + by[1]) > 1, isRepeated);
    const { width, height } = store.picture;
    const to: Point = [Math.min(Math.max(at[0] + by[0], 0), width), Math.min(Math.max(at[1] + by[1], 0), height)];
    store.commit([{ op: "put", id: shape.id, shape: kind.moveHandle(shape, snapshot.point, to) }], work);
  }
  const moved = store.snapshot.shapes.get(shape.id);
  if (moved) store.say(getKind(moved).describe(moved));
}

export function stretchBy(store: EditorStore, by: Point, isRepeated: boolean): void {
  store.commit(stretch(listSelected(store), by, store.picture), isRepeated ? "stretch" : null);
  const [shape] = listSelected(store);
  if (shape) store.say(getKind(shape).describe(shape));
}

/** Turns the selected boxes, each about its center: by a degree, or to the next step of 15. */
export function turnBy(store: EditorStore, by: 1 | -1, isSnapping: boolean, isRepeated: boolean): void {
  const boxes = listSelected(store).filter((shape) => shape.type === "bbox");
  if (boxes.length === 0) return store.say("Only boxes can be turned.");
  const { point } = store.snapshot;
  const turned = boxes.map((box) =>
    markEdited(turnBox(box, stepRotation(box.coordinates.rotation ?? 0, by, isSnapping))),
  );
  store.commit(
    turned.map((shape) => ({ op: "put", id: shape.id, shape })),
    isRepeated ? "turn" : null,
  );
  store.setPoint(point);
  const [first] = turned;
  if (first) store.say(getKind(first).describe(first));
}

/** Removes the point that keys move, else the selected shapes. */
export function remove(store: EditorStore): void {
  const { point } = store.snapshot;
  const [shape] = listSelected(store);
  if (!shape) return;
  if (point === null) {
    const count = store.snapshot.selected.length;
    store.commit(store.snapshot.selected.map((id) => ({ op: "drop", id })));
    return store.say(count === 1 ? "Shape deleted" : `${count} shapes deleted`);
  }
  const without = getKind(shape).removePoint(shape, point);
  if (!without) return store.say("This shape needs its points.");
  store.commit([{ op: "put", id: shape.id, shape: without }]);
  store.setPoint(Math.max(0, point - 1));
  store.say("Point removed");
}

/** Puts a point behind the one that keys move, in the middle of its edge. */
export function addPoint(store: EditorStore): void {
  const { point } = store.snapshot;
  const [shape] = listSelected(store);
  if (!shape || point === null) return;
  const kind = getKind(shape);
  const handles = kind.handles(shape, undefined, store.reach);
  const [from, to] = [handles[point]?.at, (handles[point + 1] ?? handles[0])?.at];
  const more = from && to ? kind.addPoint(shape, [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2], 1) : null;
  if (!more) return store.say("No point can be added here.");
  store.commit([{ op: "put", id: shape.id, shape: more }]);
  store.setPoint(point + 1);
  store.say("Point added");
}

/** Has keys move the points of the selected shape, one after the other. Returns whether there is one. */
export function stepPoint(store: EditorStore, step: -1 | 0 | 1): boolean {
  const [shape, ...others] = listSelected(store);
  if (!shape || others.length > 0) return false;
  const handles = getKind(shape).handles(shape, store.getLabel(shape.label_id), store.reach);
  if (handles.length === 0) return false;
  const point = ((store.snapshot.point ?? 0) + step + handles.length) % handles.length;
  store.setPoint(point);
  store.say(`${handles[point]?.name ?? ""}, ${point + 1} of ${handles.length}`);
  return true;
}

/** Selects the next shape and shows it; false after the last. */
export function stepShape(store: EditorStore, isForwards: boolean): boolean {
  const shown = store.snapshot.listed.filter(({ id }) => !store.isHidden(id));
  const id = findNext(shown, store.snapshot.selected.at(-1) ?? null, isForwards);
  const shape = id === null ? null : store.snapshot.shapes.get(id);
  if (!shape) return false;
  store.select([shape.id]);
  const bounds = getKind(shape).bound(shape);
  if (bounds) store.view.reveal([(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2]);
  store.say(describeShape(store, shape));
  return true;
}

const addCopies = (store: EditorStore, shapes: readonly DraftShape[], by: Point): void => {
  const copies = copyShapes(shapes, by, getMeans(store));
  if (copies.length === 0) return;
  store.commit(copies.map((shape) => ({ op: "put", id: shape.id, shape })));
  store.select(copies.map(({ id }) => id));
  store.say(copies.length === 1 ? "1 shape added" : `${copies.length} shapes added`);
};

export const duplicate = (store: EditorStore): void => addCopies(store, listSelected(store), [10, 10]);

export function copy(store: EditorStore): void {
  copied = listSelected(store);
  store.say(copied.length === 1 ? "1 shape copied" : `${copied.length} shapes copied`);
}

/** Puts what was copied where it was, as far as the labels are of this project. */
export const paste = (store: EditorStore): void =>
  addCopies(
    store,
    copied.filter((shape) => store.getLabel(shape.label_id) !== undefined),
    [0, 0],
  );

export const selectAll = (store: EditorStore): void =>
  store.select(store.snapshot.listed.filter(({ id }) => !store.isHidden(id)).map(({ id }) => id));

export const group = (store: EditorStore): void => store.commit(regroup(listSelected(store), () => uuidv4()));

export function order(store: EditorStore, isUp: boolean): void {
  const [id, ...others] = store.snapshot.selected;
  if (id === undefined || others.length > 0) return;
  const ops = reorder(store.snapshot.listed, id, isUp);
  if (ops.length === 0) return store.say(isUp ? "Already on top" : "Already below all");
  store.commit(ops);
  store.say(isUp ? "One up" : "One down");
}

export const hideSelected = (store: EditorStore): void => {
  const { selected, hidden } = store.snapshot;
  store.hide(selected, !selected.every((id) => hidden.has(id)));
};

export function showSelected(store: EditorStore): void {
  const bounds = boundShapes(listSelected(store));
  if (bounds) store.view.show(bounds);
}

/** Chooses a label: of the selected shapes, and of the next one. The tool for tags gives the picture the label, or takes it. */
export function chooseLabel(store: EditorStore, labelId: string): void {
  const label = store.getLabel(labelId);
  if (!label || label.retired) return;
  const { snapshot } = store;
  if (snapshot.tool === "tags") {
    if (!mayHold(label, "classification")) return store.say(`${label.name} is no tag.`);
    const had = listTags(snapshot.shapes).has(labelId);
    store.commit(toggleTag(snapshot.shapes, labelId, uuidv4, store.top));
    return store.say(`${label.name} ${had ? "taken" : "given"}`);
  }
  store.setLabel(labelId);
  if (snapshot.selected.length > 0) store.commit(relabel(listSelected(store), label));
  store.say(`Label ${label.name}`);
}

/** The tool of the shape that was drawn last, with its label. */
export function repeatTool(store: EditorStore): void {
  const last = store.snapshot.listed.at(-1);
  const names: readonly ToolName[] = ["box", "polygon", "polyline", "keypoints", "brush"];
  const isTurned = last?.type === "bbox" && (last.coordinates.rotation ?? 0) !== 0;
  const tool = isTurned ? "rotated-box" : (names.find((name) => getTool(name).makes === last?.type) ?? "box");
  store.setTool(tool);
  if (last) store.setLabel(last.label_id);
}

/** Has a hole drawn into the selected polygon. */
export function cutHole(store: EditorStore): void {
  const [shape, ...others] = listSelected(store);
  if (shape?.type !== "polygon" || others.length > 0) return store.say("Select the polygon that gets the hole.");
  if (store.canEdit) store.setTool("hole");
}

/** Makes another type of the one selected shape. */
export function convertTo(store: EditorStore, type: AreaType): void {
  const [shape, ...others] = listSelected(store);
  if (!shape || others.length > 0) return;
  const ops = convert(shape, type, store.getLabel(shape.label_id), getMeans(store));
  if (ops.length === 0) return store.say("Nothing would be left of it.");
  store.commit(ops);
  store.select(ops.map(({ id }) => id));
  store.say(ops.length === 1 ? `${getKind({ type }).name} made` : `${ops.length} polygons made, in one group`);
}

/** Steps out: of a shape under construction, of the points of a shape, of the tool, of the selection. */
export function stepOut(store: EditorStore): void {
  const { snapshot } = store;
  if (snapshot.point !== null) return store.setPoint(null);
  if (snapshot.drawn === 0 && snapshot.tool !== "select") return store.setTool("select");
  store.send({ type: "cancel" });
}
