import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import type { Point } from "@/domain/annotations/geometry";
import type { EditorInput, KeptWork } from "../store/editor-snapshot";
import { EditorStore } from "../store/editor-store";
import { makeInput } from "./drafts-of-tests";

/** The editor's state for tests of it, without a page. */

/** A stage on which a pixel of the picture is one of the screen, with what the page was given. */
export function open(members: Partial<EditorInput> = {}) {
  const ops: DraftOp[] = [];
  const said: string[] = [];
  const kept: KeptWork[] = [];
  const store = new EditorStore(
    makeInput({
      onOps: (some, work) => {
        ops.push(...some);
        kept.push(work);
      },
      onSay: (text) => void said.push(text),
      ...members,
    }),
  );
  store.view.setPanel(1_000, 800);
  return { store, ops, said, kept };
}

export const press = (store: EditorStore, at: Point, held = {}) => {
  store.send({ type: "move", at, ...held });
  store.send({ type: "press", at, ...held });
  store.send({ type: "release", at, ...held });
};
export const drag = (store: EditorStore, from: Point, to: Point, held = {}) => {
  store.send({ type: "press", at: from, ...held });
  store.send({ type: "move", at: [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2], ...held });
  store.send({ type: "move", at: to, ...held });
  store.send({ type: "release", at: to, ...held });
};
export const only = (store: EditorStore): DraftShape => {
  const [shape, ...others] = store.snapshot.listed;
  if (!shape || others.length > 0) throw new Error(`${store.snapshot.listed.length} shapes`);
  return shape;
};
