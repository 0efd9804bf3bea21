"use client";

import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import type { DraftShape } from "@/domain/annotations/draft-schema";
import { getOfferedScore, isOffered } from "@/domain/annotations/pre-label";
import type { EditorStore } from "./store/editor-store";
import { listOffered, removeAll, takeAll } from "./store/offered";

/** How many shapes a model offers; those that nobody takes are left out when the task is submitted. */
export function OfferedBar({ store, onStage }: { store: EditorStore; onStage: () => void }) {
  const count = listOffered(store).length;
  if (count === 0) return null;
  const press = (act: (store: EditorStore) => unknown) => () => {
    act(store);
    onStage();
  };
  return (
    <section aria-label="Suggestions" className="flex flex-col gap-2 border-b bg-selected px-3 py-2 text-table">
      <p>
        <span className="font-medium">{plural(count, "suggestion")} of a model</span>
        <span className="text-meta text-muted">
          {store.canEdit ? " · Enter takes one and moves on. What nobody takes is not submitted." : ""}
        </span>
      </p>
      {store.canEdit && (
        <span className="flex gap-2">
          <Button size="sm" onClick={press(takeAll)} aria-keyshortcuts="Shift+Enter">
            Take all
          </Button>
          <Button size="sm" onClick={press(removeAll)}>
            Remove all
          </Button>
        </span>
      )}
    </section>
  );
}

/** What the list says of shapes, with how sure a model is of those that it offers. */
export function noteOffered(
  shapes: readonly DraftShape[],
  notes: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const offered = shapes.filter(isOffered);
  if (offered.length === 0) return notes;
  const all = new Map(notes);
  for (const shape of offered) {
    const score = getOfferedScore(shape);
    const said = score === null ? "suggested" : `suggested ${score.toFixed(2)}`;
    all.set(shape.id, [said, notes.get(shape.id)].filter(Boolean).join(", "));
  }
  return all;
}
