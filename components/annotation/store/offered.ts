import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import { isOffered, takeOffered } from "@/domain/annotations/pre-label";
import { getKind } from "../shapes/shape-kinds";
import { describeShape } from "./commands";
import type { EditorStore } from "./editor-store";
import { pickShapes } from "./selection";

/** What people do with shapes that a model offers. */

/** Those that are seen, from the lowest to the topmost. */
export const listOffered = ({ snapshot, isHidden }: EditorStore): DraftShape[] =>
  snapshot.listed.filter((shape) => isOffered(shape) && !isHidden(shape.id));

const toTaken = (shapes: readonly DraftShape[]): DraftOp[] =>
  shapes.map((shape) => ({ op: "put", id: shape.id, shape: takeOffered(shape) }));

/** Selects the first that is offered and shows it. Returns whether there is one. */
function selectNext(store: EditorStore, said: string): boolean {
  const [next] = listOffered(store);
  if (!next) {
    store.say(`${said}No more suggestions.`);
    return false;
  }
  store.select([next.id]);
  const bounds = getKind(next).bound(next);
  if (bounds) store.view.reveal([(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2]);
  store.say(`${said}${describeShape(store, next)}`);
  return true;
}

/**
 * Offers what a model answered, in place of what it answered to the same question before. Returns false, and offers nothing,
 * where somebody took or removed the answer before: the question is over.
 */
export function offer(store: EditorStore, shapes: readonly DraftShape[]): boolean {
  const answered = store.asking.answered ?? [];
  const before = pickShapes(store.snapshot.shapes, answered).filter(isOffered);
  if (answered.length > 0 && before.length === 0) return false;
  store.asking.setAnswered(shapes.map(({ id }) => id));
  const dropped = before.map(({ id }): DraftOp => ({ op: "drop", id }));
  store.commit([...dropped, ...shapes.map((shape): DraftOp => ({ op: "put", id: shape.id, shape }))], null, true);
  if (shapes.length > 0) store.select(shapes.map(({ id }) => id));
  return true;
}

/** Takes what is selected of the offered shapes and moves on; without any selected, selects the first. False where none is offered. */
export function takeSelected(store: EditorStore): boolean {
  if (!store.canEdit) return false;
  const selected = pickShapes(store.snapshot.shapes, store.snapshot.selected);
  const offered = selected.filter(isOffered);
  if (offered.length === 0) {
    if (selected.length > 0 || listOffered(store).length === 0) return false;
    return selectNext(store, "");
  }
  store.commit(toTaken(offered));
  selectNext(store, offered.length === 1 ? "Taken. " : `${offered.length} taken. `);
  return true;
}

/** Removes what is selected, if all of that is offered, and moves on. False for other selections. */
export function removeSelected(store: EditorStore): boolean {
  const selected = pickShapes(store.snapshot.shapes, store.snapshot.selected);
  if (!store.canEdit || selected.length === 0 || !selected.every(isOffered)) return false;
  store.commit(selected.map(({ id }) => ({ op: "drop", id })));
  selectNext(store, "Removed. ");
  return true;
}

/** Takes all that are seen. False where none is offered. */
export function takeAll(store: EditorStore): boolean {
  const offered = listOffered(store);
  if (!store.canEdit || offered.length === 0) return false;
  store.commit(toTaken(offered));
  store.say(offered.length === 1 ? "1 suggestion taken." : `${offered.length} suggestions taken.`);
  return true;
}

/** Removes all that are seen. */
export function removeAll(store: EditorStore): void {
  const offered = listOffered(store);
  if (!store.canEdit || offered.length === 0) return;
  store.commit(offered.map(({ id }) => ({ op: "drop", id })));
  store.say(offered.length === 1 ? "1 suggestion removed." : `${offered.length} suggestions removed.`);
}
