import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecordingError } from "@/engine/formats/recording-error";
import {
  createSeriesBuilder,
  createSeriesFeed,
  readSeries,
  readStates,
  type SeriesOptions,
} from "@/engine/signals/series";
import { countShare } from "@/server/testing/generated-cases";

const START = 1_760_000_000_000_000_000n;
const MS = 1_000_000n;
type Sample = [timeMs: number, value: number];

function encode(samples: Sample[], options: Partial<SeriesOptions> = {}): Uint8Array {
  const builder = createSeriesBuilder({ startTime: START, ...options });
  const series = builder.numbers("/t", "x")!;
  for (const [time, value] of samples) series.add(builder.offset(START + BigInt(time) * MS), value);
  return [...builder.finish()][0]!.data;
}

function regular(count: number, value: (i: number) => number = (i) => i): Sample[] {
  return Array.from({ length: count }, (_, i) => [i, value(i)]);
}
const all = (points: number, ms: number) => ({ from: START, to: START + BigInt(ms) * MS, points });

describe("numbers", () => {
  it("few samples are returned one by one, at their exact times", () => {
    const { level, points, exhausted } = readSeries(
      encode([
        [0, 5],
        [3, -1],
        [900, 2.5],
      ]),
      all(100, 1000),
    );
    expect(level).toBe(0);
    expect(exhausted).toBe(false);
    expect(points).toEqual([
      [START, 5, 5, 5, 5, 1],
      [START + 3n * MS, -1, -1, -1, -1, 1],
      [START + 900n * MS, 2.5, 2.5, 2.5, 2.5, 1],
    ]);
  });

  it("the stored series is the same from whatever width below the last one it began with", () => {
    const steps = fc.array(fc.oneof(fc.nat(3), fc.nat(1_000)), { minLength: 200, maxLength: 600 });
    let widened = 0;
    fc.assert(
      fc.property(steps, fc.nat(30), (list, bit) => {
        let time = 0;
        const samples = list.map((step, at): Sample => [(time += step), at % 17]);
        const plain = encode(samples, { buckets: 0 });
        const width = readSeries(plain, all(1_000_000, time + 1)).widthNs;
        if (width === 1) return;
        widened += 1;
        const begun = Math.min(2 ** bit, width);
        expect(encode(samples, { buckets: 0, widths: () => begun })).toEqual(plain);
      }),
    );
    expect(widened).toBeGreaterThan(20);
  });

  it("a window has at most two points per requested one, and every sample is in one", () => {
    const sample = fc.tuple(fc.nat(2_000_000), fc.float({ noNaN: true, noDefaultInfinity: true }));
    fc.assert(
      fc.property(
        fc.array(sample, { minLength: 1, maxLength: 400 }),
        fc.integer({ min: 1, max: 60 }),
        (list, points) => {
          const samples = [...list].sort((a, b) => a[0] - b[0]);
          const window = readSeries(encode(samples, { buckets: 0 }), all(points, 2_000_000));
          expect(window.points.length).toBeLessThanOrEqual(2 * points);
          expect(window.points.reduce((sum, point) => sum + point[5], 0)).toBe(samples.length);
          expect(Math.min(...window.points.map((point) => point[1]))).toBe(
            Math.min(...samples.map(([, value]) => value)),
          );
          expect(Math.max(...window.points.map((point) => point[2]))).toBe(
            Math.max(...samples.map(([, value]) => value)),
          );
          expect(window.points[0]![3]).toBe(samples[0]![1]);
          expect(window.points.at(-1)![4]).toBe(samples.at(-1)![1]);
          expect(window.points[0]![0]).toBe(START + BigInt(samples[0]![0]) * MS);
        },
      ),
      { numRuns: countShare(200) },
    );
  });

  it("a spike of one sample in ten minutes at 1 kHz shows at any width", () => {
    const count = 600_000;
    const data = encode(regular(count, (i) => (i === 234_567 ? 99 : Math.sin(i / 1000))));
    for (const points of [1, 10, 300, 2000]) {
      const window = readSeries(data, all(points, count));
      const spike = window.points.find((point) => point[2] === 99)!;
      expect(Number(spike[0] - START) / 1e6).toBeLessThanOrEqual(234_567);
      expect(window.points.filter((point) => point[2] > 2)).toHaveLength(1);
      expect(window.points.length).toBeLessThanOrEqual(2 * points);
    }
    expect(data.length).toBeLessThan(1_500_000);
  });

  it("a request for more points than are stored is marked, others are not", () => {
    const data = encode(regular(100_000), { buckets: 0 });
    expect(readSeries(data, { from: START, to: START + 100n * MS, points: 200 }).exhausted).toBe(true);
    expect(readSeries(data, all(20, 100_000)).exhausted).toBe(false);
  });

  it("a gap in the data is a gap between points", () => {
    const samples = [...regular(500), ...regular(500).map(([time, value]): Sample => [time + 10_000, value])];
    const { points } = readSeries(encode(samples), all(50, 11_000));
    const times = points.map((point) => Number(point[0] - START) / 1e6);
    expect(times.some((time) => time > 1000 && time < 9999)).toBe(false);
    expect(times.filter((time) => time >= 10_000).length).toBeGreaterThan(1);
  });

  it("samples that are NaN or infinite are in no point", () => {
    const { points } = readSeries(
      encode([
        [0, 1],
        [1, NaN],
        [2, Infinity],
        [3, -Infinity],
        [4, 2],
      ]),
      all(10, 10),
    );
    expect(points.map((point) => point[3])).toEqual([1, 2]);
    expect(readSeries(encode([[0, NaN]]), all(10, 10)).points).toEqual([]);
  });

  it("values that single precision would change keep double precision", () => {
    const values = [0.1, 47.123456789012, 1e300, -5e-324];
    const { points } = readSeries(encode(values.map((value, i) => [i, value])), all(10, 10));
    expect(points.map((point) => point[1])).toEqual(values);
  });

  it("a window holds the points that overlap it and no others", () => {
    const data = encode(regular(1000));
    const { points } = readSeries(data, { from: START + 100n * MS, to: START + 109n * MS, points: 50 });
    expect(points.map((point) => point[1])).toEqual([100, 101, 102, 103, 104, 105, 106, 107, 108, 109]);
    expect(readSeries(data, { from: START - 10n * MS, to: START - 1n, points: 5 }).points).toEqual([]);
    expect(readSeries(data, { from: START + 2000n * MS, to: START + 3000n * MS, points: 5 }).points).toEqual([]);
  });

  it("2,000 fields of many samples together stay within the budget", () => {
    const builder = createSeriesBuilder({ startTime: START });
    const fields = Array.from({ length: 2000 }, (_, i) => builder.numbers("/t", `f${i}`)!);
    for (let i = 0; i < 2000; i++) for (const field of fields) field.add(i * 1e6, i);
    let bytes = 0;
    for (const result of builder.finish()) bytes += result.data.length;
    expect(bytes).toBeLessThan(100_000_000);
  });

  it("more fields than the limit are dropped and counted", () => {
    const builder = createSeriesBuilder({ startTime: START });
    for (let i = 0; i < 10_005; i++) builder.numbers("/t", `f${i}`);
    expect(builder.numbers("/t", "f3")).not.toBeNull();
    expect(builder.droppedFields).toBe(5);
  });

  it("bytes that are no series are refused", () => {
    expect(() => readSeries(Buffer.from("nothing"), all(1, 1))).toThrow(RecordingError);
    expect(() => readStates(Buffer.from("nothing"), { from: 0n, to: 1n })).toThrow(RecordingError);
  });
});

describe("states", () => {
  function states(changes: [number, string | boolean][], runs?: number) {
    const builder = createSeriesBuilder({ startTime: START, ...(runs === undefined ? {} : { runs }) });
    const series = builder.states("/t", "mode")!;
    for (const [time, value] of changes) series.add(builder.offset(START + BigInt(time) * MS), value);
    return [...builder.finish()][0]!;
  }

  it("equal neighbours are one run, and a window starts with the run in force", () => {
    const { data, count } = states([
      [0, "idle"],
      [5, "idle"],
      [10, "drive"],
      [20, "drive"],
      [30, "idle"],
    ]);
    expect(count).toBe(5);
    const everything = readStates(data, { from: START, to: START + 100n * MS });
    expect(everything.map(({ value, merged }) => [value, merged])).toEqual([
      ["idle", 0],
      ["drive", 0],
      ["idle", 0],
    ]);
    const later = readStates(data, { from: START + 15n * MS, to: START + 20n * MS });
    expect(later).toEqual([{ timeNs: START + 10n * MS, value: "drive", merged: 0 }]);
  });

  it("endless changes are merged, and no change is lost from the count", () => {
    const changes = Array.from({ length: 20_000 }, (_, i): [number, boolean] => [i, i % 2 === 0]);
    const runs = readStates(states(changes, 1).data, { from: START, to: START + 20_000n * MS });
    expect(runs.length).toBeLessThanOrEqual(32);
    expect(runs.reduce((sum, run) => sum + 1 + run.merged, 0)).toBeGreaterThan(19_900);
  });

  it("long texts are cut", () => {
    const [run] = readStates(states([[0, "x".repeat(100_000)]]).data, { from: START, to: START });
    expect(String(run!.value)).toHaveLength(120);
  });
});

describe("feed", () => {
  it("series are created by kind as values appear, and equal fields of two channels share one", () => {
    const builder = createSeriesBuilder({ startTime: START });
    const reader = {
      fields: [{ path: "x", kind: "number" as const }],
      values: new Float64Array([1, NaN]),
      states: [undefined, true] as (boolean | undefined)[],
      expected: 1,
      present: [],
      longLists: [],
      read: () => undefined,
    };
    const feed = createSeriesFeed(builder, "/t", reader);
    feed(0);
    reader.fields.push({ path: "on", kind: "boolean" as never });
    feed(10);
    createSeriesFeed(builder, "/t", reader)(20);
    const results = [...builder.finish()];
    expect(results.map(({ field, kind, count }) => [field, kind, count])).toEqual([
      ["x", "number", 3],
      ["on", "state", 2],
    ]);
  });
});
