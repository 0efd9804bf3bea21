"use client";

import { useMemo, useSyncExternalStore } from "react";
import { findChecks } from "@/domain/annotations/checks";
import type { EditorLabel } from "@/domain/annotations/editor-label";
import { AttributePanel } from "../attribute-panel";
import { ShapeListbox } from "../shape-listbox";
import type { EditorStore } from "../store/editor-store";
import { pickShapes } from "../store/selection";

interface ShapesPanelProps {
  store: EditorStore;
  labels: readonly EditorLabel[];
  onSelect: (ids: readonly string[]) => void;
}

/** The shapes of a result with what is doubtful about them, and the answers of the selected one. */
export function ShapesPanel({ store, labels, onSelect }: ShapesPanelProps) {
  const { listed, shapes, selected, hidden } = useSyncExternalStore(
    store.subscribe,
    store.getSnapshot,
    store.getSnapshot,
  );
  const checks = useMemo(() => findChecks(listed, labels, store.picture), [listed, labels, store]);
  const notes = useMemo(
    () => new Map(checks.flatMap(({ shape, message }) => (shape === null ? [] : [[shape, message] as const]))),
    [checks],
  );
  return (
    <>
      {checks
        .filter(({ shape }) => shape === null)
        .map(({ check, message }) => (
          <p key={`${check} ${message}`} className="border-b px-3 py-2 text-table text-warning-text">
            {message}
          </p>
        ))}
      {listed.length === 0 ? (
        <p className="p-3 text-table text-muted">No shapes: nothing to mark was found.</p>
      ) : (
        <ShapeListbox
          shapes={listed}
          labels={labels}
          selected={selected}
          onSelect={onSelect}
          hidden={hidden}
          onHide={(id, isHidden) => store.hide([id], isHidden)}
          notes={notes}
        />
      )}
      {selected.length > 0 && (
        <div className="flex max-h-1/2 shrink-0 flex-col border-t">
          <AttributePanel store={store} shapes={pickShapes(shapes, selected)} labels={labels} canEdit={false} />
        </div>
      )}
    </>
  );
}
