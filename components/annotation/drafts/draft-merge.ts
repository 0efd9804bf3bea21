import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import { applyOps, type DraftShapes } from "@/domain/annotations/draft-shape";
import type { KeptWork, Proposal } from "../store/editor-snapshot";
import { noHistory } from "../store/history";
import type { DraftStore } from "./draft-store";

interface Merged {
  shapes: DraftShapes;
  /** Own changes that are still to be sent. */
  ops: readonly DraftOp[];
  /** Shapes that both sides changed: the server's stands, and somebody has to decide about the own one. */
  proposals: readonly Proposal[];
}

/** A text that is the same for equal values, in whatever order their members are. */
function toComparable(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

const isEqual = (a: DraftShape | undefined, b: DraftShape | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && toComparable(a) === toComparable(b));

/**
 * Joins own changes of `base`, which the server did not receive, with what the server has now, shape by shape. Where only
 * one side changed a shape, that side wins; where both did differently, nothing is lost: the own one becomes a proposal.
 */
export function mergeDraft(base: DraftShapes, server: DraftShapes, ops: readonly DraftOp[], note: string): Merged {
  const mine = applyOps(base, ops);
  const held = new Set<string>();
  const proposals: Proposal[] = [];
  for (const id of new Set(ops.map((op) => op.id))) {
    const [before, own, theirs] = [base.get(id), mine.get(id), server.get(id)];
    if (isEqual(before, theirs) || isEqual(own, theirs) || isEqual(own, before)) continue;
    held.add(id);
    proposals.push({ id, shape: own ?? null, note });
  }
  const sent = ops.filter((op) => !held.has(op.id) && !isEqual(mine.get(op.id), server.get(op.id)));
  const kept = sent.filter((op) => !isEqual(mine.get(op.id), base.get(op.id)));
  return { shapes: applyOps(server, kept), ops: kept, proposals };
}

interface OpenedDraft {
  shapes: readonly DraftShape[];
  proposals: readonly Proposal[];
  kept: KeptWork | null;
}

/** The draft to go on with: the server's with what this browser holds and has not sent. `note` names own changes. */
export async function openDraft(
  store: DraftStore,
  server: { shapes: DraftShapes; version: number },
  note: string,
): Promise<OpenedDraft> {
  const stored = await store.read();
  const ops = stored.ops.map(({ op }) => op);
  if (stored.version === server.version) {
    const shapes = [...applyOps(server.shapes, ops).values()];
    return { shapes, proposals: stored.proposals, kept: stored.kept };
  }
  const merged = mergeDraft(stored.shapes, server.shapes, ops, note);
  const offered = new Set(merged.proposals.map(({ id }) => id));
  const proposals = [...stored.proposals.filter(({ id }) => !offered.has(id)), ...merged.proposals];
  await store.replace(server.shapes, server.version, merged.ops, proposals);
  // Steps that others' changes came between would take those back too.
  const kept = stored.kept && { ...stored.kept, history: noHistory };
  return { shapes: [...merged.shapes.values()], proposals, kept };
}
