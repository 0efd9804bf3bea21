import fc from "fast-check";
import { expect, test } from "vitest";
import { makeColumns, ROWS, STRIDE, type Slot } from "@/engine/columns/column-batch";
import { TopicPyramid } from "@/engine/columns/pyramid";
import { createSeriesBuilder } from "@/engine/signals/series";

/** Kinds of columns: noise, its rounded form with zeros of both signs, one value, and noise that is once not finite. */
const kinds = ["noise", "zeros", "constant", "broken"] as const;

function valueAt(
  kind: (typeof kinds)[number],
  noise: number,
  row: number,
  broken: { at: number; value: number },
): number {
  if (kind === "noise") return noise - 0.5;
  if (kind === "zeros") return Math.round(2 * noise - 1);
  if (kind === "constant") return 7.25;
  return row === broken.at ? broken.value : noise;
}

test("columns are folded into the series that their samples make one by one, however long the stretches", () => {
  const run = fc.record({
    rows: fc.integer({ min: 300, max: 3_000 }),
    step: fc.constantFrom(1, 1_000, 1_000_003),
    width: fc.constantFrom(1, 64, 4_096),
    brokenAt: fc.nat(3_000),
    broken: fc.constantFrom(NaN, Infinity, -Infinity),
    seed: fc.nat(1_000_000),
  });
  fc.assert(
    fc.property(run, ({ rows, step, width, brokenAt, broken, seed }) => {
      let state = seed;
      const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
      const slots = kinds.map((kind): Slot => {
        const field = { path: kind, kind: "number" } as Slot["field"];
        return { field, holds: "number", long: false, always: true, group: -1, element: 0 };
      });
      const options = { startTime: 0n, buckets: 0, widths: () => width };
      const [folded, single] = [createSeriesBuilder(options), createSeriesBuilder(options)];
      const pyramid = new TopicPyramid("/t", slots, folded);
      const columns = makeColumns(slots);
      const times = Float64Array.from({ length: rows }, (_, row) => row * step);
      for (let from = 0; from < rows; from += ROWS) {
        const count = Math.min(ROWS, rows - from);
        for (let row = 0; row < count; row++) {
          for (const [slot, kind] of kinds.entries()) {
            const value = valueAt(kind, random(), from + row, { at: brokenAt, value: broken });
            columns.values[slot * STRIDE + row] = value;
            single.numbers("/t", kind)!.add(times[from + row]!, value);
          }
        }
        pyramid.take(times, from, count, columns);
      }
      expect([...folded.finish()]).toEqual([...single.finish()]);
    }),
  );
});
