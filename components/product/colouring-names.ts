import { colourScales } from "@/engine/messages/colour-scale";

/** What points may be coloured by that is no field of theirs, in words. */
const names: Readonly<Record<string, string>> = { distance: "Distance", rgb: "Own colours", flat: "One colour" };

/** What somebody reads of a colouring: its name in words, or the field itself. */
export const nameColouring = (colouring: string): string => names[colouring] ?? colouring;

/** Whether a colouring has a range of values. */
export const hasRange = (colouring: string | null): boolean => colouring !== "rgb" && colouring !== "flat";

/** All scales of colours, to choose from. */
export const colourScaleOptions = colourScales.map((value) => ({
  value,
  label: `${value.charAt(0).toUpperCase()}${value.slice(1)}`,
}));
