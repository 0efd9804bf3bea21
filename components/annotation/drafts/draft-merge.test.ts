import fc from "fast-check";
import { expect, test } from "vitest";
import type { DraftOp } from "@/domain/annotations/draft-schema";
import { applyOps, type DraftShapes } from "@/domain/annotations/draft-shape";
import { makeBox } from "../testing/drafts-of-tests";
import { mergeAfterRestore, mergeDraft } from "./draft-merge";

const id = fc.constantFrom("a", "b", "c", "d");
const op: fc.Arbitrary<DraftOp> = fc.oneof(
  fc.tuple(id, fc.nat(3)).map(([of, x]): DraftOp => ({ op: "put", id: of, shape: makeBox(of, [x, 0, 10, 10]) })),
  id.map((of): DraftOp => ({ op: "drop", id: of })),
);
const ops = fc.array(op, { maxLength: 8 });
const shapes = ops.map((some): DraftShapes => applyOps(new Map(), some));

test("each shape is as the only side that changed it left it; what both changed stays theirs, and mine is offered", () => {
  fc.assert(
    fc.property(shapes, ops, ops, (base, others, own) => {
      const server = applyOps(base, others);
      const mine = applyOps(base, own);
      const merged = mergeDraft(base, server, own, "yours");
      const offered = new Map(merged.proposals.map((each) => [each.id, each.shape]));
      for (const each of ["a", "b", "c", "d"]) {
        const text = (of: DraftShapes) => JSON.stringify(of.get(each));
        const [before, ours, theirs] = [text(base), text(mine), text(server)];
        const isBoth = ours !== before && theirs !== before && ours !== theirs;
        expect(text(merged.shapes)).toBe(ours !== before && !isBoth ? ours : theirs);
        expect(offered.has(each)).toBe(isBoth);
        if (isBoth) expect(offered.get(each)).toEqual(mine.get(each) ?? null);
      }
      // What is sent leads the server to what is shown.
      const sorted = (of: DraftShapes) => [...of].toSorted(([a], [b]) => (a < b ? -1 : 1));
      expect(sorted(applyOps(server, merged.ops))).toEqual(sorted(merged.shapes));
    }),
  );
});

test("nothing is offered or sent of changes that the server already has", () => {
  const put: DraftOp = { op: "put", id: "a", shape: makeBox("a", [1, 1, 5, 5]) };
  const server = applyOps(new Map(), [put]);
  expect(mergeDraft(new Map(), server, [put], "yours")).toEqual({ shapes: server, ops: [], proposals: [] });
});

test("of a server that went back to a backup, every shape of mine is shown, sent again, or offered", () => {
  fc.assert(
    fc.property(shapes, ops, ops, (base, since, own) => {
      // The backup is of any moment: what the server has may be what it had before, and what others did after.
      const server = applyOps(new Map(), since);
      const mine = applyOps(base, own);
      const merged = mergeAfterRestore(base, server, own, "yours");
      const offered = new Map(merged.proposals.map((each) => [each.id, each.shape]));
      for (const [each, shape] of mine) expect([merged.shapes.get(each), offered.get(each)]).toContainEqual(shape);
      for (const [each] of server) expect(merged.shapes.has(each) || !mine.has(each)).toBe(true);
      const sorted = (of: DraftShapes) => [...of].toSorted(([a], [b]) => (a < b ? -1 : 1));
      expect(sorted(applyOps(server, merged.ops))).toEqual(sorted(merged.shapes));
    }),
  );
});
