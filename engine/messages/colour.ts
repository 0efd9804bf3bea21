import { readFields } from "@/engine/messages/reading";
import type { Colour } from "@/engine/messages/scene-object";

/** Red, green, blue and opacity of a message; what is no number is 0. */
export function readColour(value: unknown): Colour {
  const fields = readFields(value ?? {});
  const part = (name: string): number => {
    const number = Number(fields[name]);
    return Number.isFinite(number) ? Math.max(0, Math.min(1, number)) : 0;
  };
  return [part("r"), part("g"), part("b"), part("a")];
}

/** The colours of the points of a shape; null when there is not one for each. */
export function readColours(list: ArrayLike<unknown>, points: number): Float32Array | null {
  if (points === 0 || list.length !== points) return null;
  const colours = new Float32Array(points * 4);
  for (let at = 0; at < points; at++) colours.set(readColour(list[at]), at * 4);
  return colours;
}
