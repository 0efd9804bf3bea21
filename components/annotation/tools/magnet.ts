import { loadPart } from "@/components/kit/part-loading";
import { idle, listPoints, type MagnetState } from "./magnet-state";
import type { tracing as Tracing } from "./magnet-tracing";
import { nothing, type Tool } from "./tool";

let tracing: typeof Tracing | null = null;
let loading: Promise<void> | null = null;

function load(): void {
  loading ??= loadPart(() => import("./magnet-tracing")).then(
    (part) => void (tracing = part.tracing),
    // The next press asks again.
    () => void (loading = null),
  );
}

/** Draws a polygon along the edges of the picture. Most people never do: what it does is loaded when it is taken in hand. */
export const magnet: Tool<MagnetState> = {
  name: "Magnet",
  keys: "m",
  makes: "polygon",
  hint: "Press along an edge: the line follows it; Enter, or the first point again, closes the polygon",
  isForPhones: false,
  start() {
    load();
    return idle;
  },
  step(state, event, context) {
    if (tracing) return tracing.step(state, event, context);
    load();
    return event.type === "press" ? { state, say: "The magnet is being loaded; try again." } : { state };
  },
  view: (state) => tracing?.view(state) ?? nothing,
  points: listPoints,
  resume: (points) => ({
    ...idle,
    legs: points.length === 0 ? [] : [points.slice(0, 1), ...points.slice(1).map((point) => [point])],
  }),
};
