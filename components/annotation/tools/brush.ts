import { loadPart } from "@/components/kit/part-loading";
import type { painting as Painting } from "./brush-painting";
import type { BrushState } from "./brush-state";
import { nothing, type Tool } from "./tool";

let painting: typeof Painting | null = null;
let loading: Promise<void> | null = null;

function load(): void {
  loading ??= loadPart(() => import("./brush-painting")).then(
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
