import type { Point } from "@/domain/annotations/geometry";
import type { MaskPainting } from "./mask-painting";

export interface BrushState {
  tool: "brush";
  /** Where the pointer is. */
  at?: Point;
  /** The mask of the last stroke. */
  painting?: MaskPainting;
  /** The stroke that is being drawn. */
  stroke?: {
    /** Painted, or erased. */
    value: 0 | 1;
    /** The line whose inside is filled; null: pixels under the brush are. */
    lasso: readonly Point[] | null;
  };
}
