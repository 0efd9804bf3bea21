import { loadPart } from "@/components/kit/part-loading";
import type { Point } from "@/domain/annotations/geometry";
import type { MaskPainting } from "../brush/mask-painting";
import type { painting as Painting } from "../brush/painting";
import { nothing, type Tool } from "./tool";

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

let painting: typeof Painting | null = null;
let loading: Promise<void> | null = null;

function load(): void {
  loading ??= loadPart(() => import("../brush/painting")).then(
    (part) => void (painting = part.painting),
    // The next stroke asks again.
    () => void (loading = null),
  );
}

/** Paints pixels. Most people never do: what it does is loaded when it is taken in hand. */
export const brush: Tool<BrushState> = {
  name: "Brush",
  keys: "s",
  makes: "mask",
  hint: "Drag to paint, with Shift to erase, with Alt around what is filled; [ and ] change the size, Enter begins another mask",
  isForPhones: false,
  continues: true,
  start() {
    load();
    return { tool: "brush" };
  },
  step(state, event, context) {
    if (painting) return painting.step(state, event, context);
    load();
    return event.type === "press" ? { state, say: "The brush is being loaded; try again." } : { state };
  },
  view: (state) => painting?.view(state) ?? nothing,
  points: () => [],
  resume: () => ({ tool: "brush" }),
};
