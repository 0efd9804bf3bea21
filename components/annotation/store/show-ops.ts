import type { DraftOp } from "@/domain/annotations/draft-schema";
import type { DraftShapes } from "@/domain/annotations/draft-shape";
import { areTouching } from "@/domain/annotations/geometry";
import { boundShapes } from "../tools/select";
import { pickShapes } from "./selection";
import type { ViewPlace } from "./view-place";

interface Shown {
  snapshot: { shapes: DraftShapes };
  view: ViewPlace;
  say: (text: string) => void;
}

/** Moves to what changes would change, unless it is in view: nothing changes unseen. Returns whether it was in view. */
export function showOps({ snapshot, view, say }: Shown, ops: readonly DraftOp[]): boolean {
  const before = pickShapes(
    snapshot.shapes,
    ops.map(({ id }) => id),
  );
  const after = ops.flatMap((op) => (op.op === "put" ? op.shape : []));
  const bounds = boundShapes([...before, ...after]);
  if (!bounds || areTouching(bounds, view.seen)) return true;
  view.show(bounds);
  say("Moved to what changes; again to change it.");
  return false;
}
