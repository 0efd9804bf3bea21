import { readLine, type Line } from "@/engine/signals/line";

/** How far the second line is above the first, at every time of either; it breaks where one of them does, or ends. */
export function subtractLines(a: Line, b: Line): Line {
  const times = [...new Set([...Array.from(a.times), ...Array.from(b.times)])].sort((one, other) => one - other);
  const [first, second] = [readLine(a, times), readLine(b, times)];
  return {
    times,
    values: times.map((_, at) => {
      const value = second[at]! - first[at]!;
      return Number.isNaN(value) ? null : value;
    }),
  };
}
