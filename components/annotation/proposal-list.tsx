"use client";

import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import { describeShape } from "./store/commands";
import type { Proposal } from "./store/editor-snapshot";
import type { EditorStore } from "./store/editor-store";

/** Own changes of shapes that somebody else changed meanwhile: each is taken or left by a press, none by itself. */
export function ProposalList({ store, proposals }: { store: EditorStore; proposals: readonly Proposal[] }) {
  if (proposals.length === 0) return null;
  return (
    <section aria-label="To decide" className="border-b bg-selected px-3 py-2">
      <p className="text-table font-medium">{plural(proposals.length, "shape")} changed here and elsewhere</p>
      <ul className="flex max-h-40 flex-col gap-2 overflow-y-auto pt-2">
        {proposals.map(({ id, shape, note }) => {
          const theirs = store.snapshot.shapes.get(id);
          const named = shape ?? theirs;
          return (
            <li key={id} className="flex flex-wrap items-center gap-2 text-meta">
              <span className="min-w-0 flex-1">
                {named ? describeShape(store, named) : "A shape"}, {note}
              </span>
              <Button size="sm" onClick={() => store.decide(id, true)}>
                {shape ? (theirs ? "Take mine" : "Put it back") : "Delete it"}
              </Button>
              <Button size="sm" onClick={() => store.decide(id, false)}>
                {theirs ? "Leave theirs" : "Leave it deleted"}
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
