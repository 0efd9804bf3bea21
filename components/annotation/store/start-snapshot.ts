import { listByPosition } from "@/domain/annotations/draft-shape";
import type { ToolName } from "../tools/tools";
import type { EditorInput, EditorSnapshot } from "./editor-snapshot";
import type { History } from "./history";

/** What panels show before anybody did anything: the draft, and what was kept of it. */
export function startSnapshot(input: EditorInput, tool: ToolName, { steps, done }: History): EditorSnapshot {
  const unfinished = input.kept?.unfinished;
  const labelId = input.hand?.current.labelId ?? null;
  const isKnown = input.labels.some((label) => label.id === labelId && !label.retired);
  const shapes = new Map(input.shapes.map((shape) => [shape.id, shape]));
  return {
    shapes,
    listed: listByPosition(shapes.values()),
    selected: [],
    tool,
    labelId: unfinished?.label_id ?? (isKnown ? labelId : null),
    hidden: new Set(),
    areHidden: false,
    proposals: input.proposals,
    point: null,
    drawn: unfinished?.points.length ?? 0,
    canEdit: input.canEdit,
    canUndo: done > 0,
    canRedo: done < steps.length,
  };
}
