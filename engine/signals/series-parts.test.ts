import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RecordingError } from "@/engine/formats/recording-error";
import { createSeriesBuilder, readSeries } from "@/engine/signals/series";
import { isCoarse, joinSeries, splitSeries } from "@/engine/signals/series-parts";

const start = 1_760_000_000_000_000_000n;
const ms = 1_000_000n;

/** A series of samples so many milliseconds after each other. */
function encode(steps: readonly number[]): Uint8Array {
  const builder = createSeriesBuilder({ startTime: start });
  const series = builder.numbers("/t", "x")!;
  let time = start;
  for (const [at, step] of steps.entries()) {
    time += BigInt(step) * ms;
    series.add(builder.offset(time), Math.sin(at) * 100);
  }
  return [...builder.finish()][0]!.data;
}

const steps = fc.array(fc.oneof(fc.nat(3), fc.nat(500)), { minLength: 65, maxLength: 500 });

describe("a series in two parts", () => {
  test("is the series again when they are joined", () => {
    fc.assert(
      fc.property(steps, (list) => {
        const bytes = encode(list);
        const parts = splitSeries(bytes);
        if (parts) expect(joinSeries(parts.coarse, parts.finest)).toEqual(bytes);
      }),
      { numRuns: 50 },
    );
  });

  test("gives windows that show all of it the same points without its finest level", () => {
    let coarse = 0;
    const part = fc.double({ min: -0.2, max: 1.2, noNaN: true });
    fc.assert(
      fc.property(steps, fc.tuple(part, part), fc.integer({ min: 1, max: 60 }), (list, [a, b], points) => {
        const bytes = encode(list);
        const parts = splitSeries(bytes);
        if (!parts) return;
        const length = Number(parts.level.last - start);
        const at = (share: number) => start + BigInt(Math.round(length * share));
        for (const window of [
          { from: at(a), to: at(b), points },
          { from: start, to: parts.level.last, points },
          { from: parts.level.first, to: parts.level.last - 1n, points },
        ]) {
          if (!isCoarse(parts.level, window)) continue;
          coarse += 1;
          expect(readSeries(joinSeries(parts.coarse, null), window, 1)).toEqual(readSeries(bytes, window));
        }
      }),
      { numRuns: 150, seed: 7 },
    );
    expect(coarse).toBeGreaterThan(40);
  });

  test("is not made of one with a single level, nor of other bytes", () => {
    expect(splitSeries(encode([1, 2, 3]))).toBeNull();
    expect(() => splitSeries(new Uint8Array(100))).toThrow(RecordingError);
    expect(() => joinSeries(encode([1, 2, 3]), null)).toThrow(RecordingError);
  });
});
