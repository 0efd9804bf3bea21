import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import { applyOps, type DraftShapes } from "@/domain/annotations/draft-shape";
import type { KeptWork, Proposal } from "../store/editor-snapshot";
import { noHistory } from "../store/history";
import type { DraftKeeper } from "./draft-keeper";

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

/**
 * Joins own changes as `mergeDraft` does with a server that went back, as one does whose database was restored: it does not
 * have all of `base` any more, which it had said to have. What it lacks is sent again, and what it has otherwise is offered.
 */
export function mergeAfterRestore(
  base: DraftShapes,
  server: DraftShapes,
  ops: readonly DraftOp[],
  note: string,
): Merged {
  const merged = mergeDraft(base, server, ops, note);
  const mine = applyOps(base, ops);
  const again: DraftOp[] = [];
  const proposals = [...merged.proposals];
  for (const [id, shape] of base) {
    // What was changed since is merged already.
    if (isEqual(shape, server.get(id)) || !isEqual(shape, mine.get(id))) continue;
    if (server.has(id)) proposals.push({ id, shape, note });
    else again.push({ op: "put", id, shape });
  }
  return { shapes: applyOps(merged.shapes, again), ops: [...merged.ops, ...again], proposals };
}

const haveSameShapes = (a: DraftShapes, b: DraftShapes): boolean =>
  a.size === b.size && [...a].every(([id, shape]) => isEqual(shape, b.get(id)));

export interface OpenedDraft {
  shapes: readonly DraftShape[];
  proposals: readonly Proposal[];
  kept: KeptWork | null;
}

/** The draft to go on with: the server's with what is held beside it. `name` says of when own changes are. */
export async function openDraft(
  keeper: DraftKeeper,
  server: { shapes: DraftShapes; version: number },
  name: (at: number) => string,
): Promise<OpenedDraft> {
  let opened: OpenedDraft = { shapes: [...server.shapes.values()], proposals: [], kept: null };
  await keeper.rebase((stored) => {
    const own = stored.ops.map(({ op }) => op);
    const isSame = stored.version === server.version;
    if (isSame && haveSameShapes(stored.shapes, server.shapes)) {
      const shapes = [...applyOps(server.shapes, own).values()];
      opened = { shapes, proposals: stored.proposals, kept: stored.kept };
      return null;
    }
    // The version of a draft only grows, and what it names never changes.
    const merge = isSame || server.version < stored.version ? mergeAfterRestore : mergeDraft;
    const { shapes, ops, proposals: found } = merge(stored.shapes, server.shapes, own, name(stored.at));
    const offered = new Set(found.map(({ id }) => id));
    const proposals = [...stored.proposals.filter(({ id }) => !offered.has(id)), ...found];
    // Steps that others' changes came between would take those back too.
    const kept = stored.kept && { ...stored.kept, history: noHistory };
    opened = { shapes: [...shapes.values()], proposals, kept };
    return { shapes: server.shapes, version: server.version, ops, proposals, kept };
  });
  return opened;
}
