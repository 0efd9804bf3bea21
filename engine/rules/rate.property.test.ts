import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EarlierSamples } from "@/engine/rules/earlier-samples";
import type { RecordingFacts } from "@/engine/rules/evaluate";
import { evaluateAll, type TimedMessage } from "@/engine/rules/recording.fixture";
import { countShare } from "@/server/testing/generated-cases";

const ms = (count: number): bigint => BigInt(count) * 1_000_000n;
const inMs = (time: bigint): number => Number(time / 1_000_000n);
const end = 80;
const bound = 500;

/** Null: the element is missing; NaN: it is not a number. */
type Value = number | bigint | null;
interface Sample {
  time: number;
  values: Value[];
}

const value = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 6 }) },
  { weight: 2, arbitrary: fc.bigInt({ min: 2n ** 60n, max: 2n ** 60n + 6n }) },
  fc.constant(null),
  fc.constant(NaN),
);
/** Several samples may share an instant. */
const recorded: fc.Arbitrary<Sample[]> = fc
  .array(
    fc.record({ time: fc.integer({ min: 0, max: end }), values: fc.array(value, { minLength: 1, maxLength: 3 }) }),
    { maxLength: 40 },
  )
  .map((samples) => samples.sort((a, b) => a.time - b.time));

const facts = (messageCount: number, median: number | null): RecordingFacts => ({
  startTime: 0n,
  endTime: ms(end),
  truncated: false,
  topics: [{ topic: "/a", messageCount, medianPeriodNs: median === null ? null : ms(median) }],
});
const toMessages = (samples: readonly Sample[]): TimedMessage[] =>
  samples.map(({ time, values }) => ({ topic: "/a", time: ms(time), value: { value: values } }));

const minus = (a: number | bigint, b: number | bigint): number =>
  typeof a === "bigint" || typeof b === "bigint" ? Number(BigInt(a) - BigInt(b)) : a - b;

/** The rate of an element at a sample, by looking back over all that came before: null where it is unknown. */
function rateAt(samples: readonly Sample[], index: number, element: number, over: number, gap: number | null) {
  const { time, values } = samples[index]!;
  const now = values[element];
  if (now === null || now === undefined) return null;
  if (Number.isNaN(now)) return NaN;
  let newer = time;
  for (let at = index - 1; at >= 0; at--) {
    const before = samples[at]!.values[element];
    if (before === null || before === undefined) continue;
    if (Number.isNaN(before) || (gap !== null && newer - samples[at]!.time > gap)) return null;
    newer = samples[at]!.time;
    if (time - newer >= over && newer < time) return (minus(now, before) * 1_000) / (time - newer);
  }
  return null;
}

/** Where the rule triggers and ends, sample by sample, as the definition has it. */
function reference(samples: readonly Sample[], mode: "any" | "all", over: number, window: number, gap: number | null) {
  const present = samples
    .map((sample, index) => ({ sample, index }))
    .filter(({ sample }) => sample.values.some((each) => each !== null));
  const found: [number, number][] = [];
  let since: number | null = null;
  let open = false;
  const close = (at: number) => {
    if (open) found[found.length - 1]![1] = Math.min(at, end);
    open = false;
    since = null;
  };
  let last: number | null = null;
  for (const { sample, index } of present) {
    const { time } = sample;
    if (gap !== null && last !== null && time - last > gap) close(last + gap);
    last = time;
    const rates = sample.values.map((_, at) => rateAt(samples, index, at, over, gap)).filter((each) => each !== null);
    if (rates.length === 0) continue;
    const holds = mode === "any" ? rates.some((each) => each > bound) : rates.every((each) => each > bound);
    if (!holds) {
      close(time);
      continue;
    }
    since ??= time;
    if (open || time - since < window) continue;
    open = true;
    found.push([time, end]);
  }
  if (gap !== null && last !== null && end + 1 > last + gap) close(last + gap);
  return found;
}

describe("a rate agrees with its definition", () => {
  test("for any samples, elements, over, window and gap limit", () => {
    fc.assert(
      fc.property(
        recorded,
        fc.constantFrom("any" as const, "all" as const),
        fc.integer({ min: 0, max: 25 }),
        fc.integer({ min: 0, max: 10 }),
        fc.option(fc.integer({ min: 1, max: 4 })),
        (samples, mode, over, window, median) => {
          const condition = {
            type: "rate",
            topic: "/a",
            field: "value[:]",
            field_mode: mode,
            operator: "gt",
            value: bound,
            ...(over > 0 && { over: `${over}ms` }),
            ...(window > 0 && { window: `${window}ms` }),
          };
          const [result] = evaluateAll([condition], facts(samples.length, median), toMessages(samples));
          const spans = result!.hits.map((hit) => [inMs(hit.triggeredAt), inMs(hit.endedAt)]);
          expect(spans).toEqual(reference(samples, mode, over, window, median === null ? null : median * 5));
        },
      ),
      { numRuns: countShare(1_000) },
    );
  });

  test("and its evidence has the two samples it was computed from", () => {
    fc.assert(
      fc.property(recorded, fc.integer({ min: 1, max: 25 }), (samples, over) => {
        const condition = { type: "rate", topic: "/a", field: "value[:]", operator: "gt", value: 0, over: `${over}ms` };
        const [result] = evaluateAll([condition], facts(samples.length, null), toMessages(samples));
        // An episode that ended at the instant of its trigger shows the sample that ended it.
        for (const hit of result!.hits.filter(({ triggeredAt, endedAt }) => endedAt > triggeredAt)) {
          const [leaf] = hit.evidence.leaves;
          if (leaf?.type !== "rate" || !leaf.earlier || !leaf.later) throw new Error("A rate has two samples.");
          const [from, to] = [leaf.earlier, leaf.later];
          expect(to[0]).toBe(String(hit.triggeredAt));
          expect(BigInt(to[0]) - BigInt(from[0])).toBeGreaterThanOrEqual(ms(over));
          const change = Number(BigInt(String(to[1])) - BigInt(String(from[1])));
          expect(leaf.value).toBeCloseTo((change * 1e9) / Number(BigInt(to[0]) - BigInt(from[0])), 9);
        }
      }),
    );
  });

  test("whichever rules are evaluated beside it, and however often", () => {
    fc.assert(
      fc.property(recorded, fc.integer({ min: 1, max: 25 }), (samples, over) => {
        const one = { type: "rate", topic: "/a", field: "value[:]", operator: "gt", value: bound };
        const conditions = [one, { ...one, over: `${over}ms` }, { ...one, type: "threshold" }];
        const hits = (list: readonly object[]) =>
          evaluateAll(list, facts(samples.length, 2), toMessages(samples)).map(({ hits }) =>
            hits.map(({ startedAt, triggeredAt, endedAt, value }) => [startedAt, triggeredAt, endedAt, value]),
          );
        expect(conditions.flatMap((each) => hits([each]))).toEqual(hits(conditions));
      }),
    );
  });
});

describe("the earlier samples of a rate", () => {
  const at = (samples: EarlierSamples, count: number, elements = 1) => {
    for (let time = 0; time < count; time++)
      for (let element = 0; element < elements; element++) samples.add(element, BigInt(time), time);
  };

  test("are no more than those within `over` and one before", () => {
    const samples = new EarlierSamples(100n, null);
    at(samples, 100_000);
    expect(samples.size).toBeLessThanOrEqual(102);
    expect(samples.add(0, 100_000n, 1)).toEqual({ time: 99_900n, value: 99_900 });
  });

  test("are two of each element without `over`", () => {
    const samples = new EarlierSamples(1n, null);
    at(samples, 10_000, 7);
    expect(samples.size).toBeLessThanOrEqual(14);
  });

  test("stay within their limit, and are then at most a grain older than `over`", () => {
    const limit = 1_000;
    const over = 1_000_000n;
    const samples = new EarlierSamples(over, null, limit);
    let max = 0;
    for (let time = 0n; time < 3n * over; time += 100n) {
      const earlier = samples.add(0, time, Number(time));
      max = Math.max(max, samples.size);
      if (time < over) expect(earlier).toBeNull();
      else {
        expect(time - earlier!.time).toBeGreaterThanOrEqual(over);
        expect(time - earlier!.time).toBeLessThanOrEqual(over + samples.grain + 100n);
      }
    }
    expect(max).toBeLessThanOrEqual(limit + 1);
    expect(samples.grain).toBe(2_000n);
  });

  test("stay within their limit when elements are added", () => {
    const samples = new EarlierSamples(10_000n, null, 1_000);
    for (let time = 0; time < 30_000; time += 10) {
      for (let element = 0; element <= time / 1_000; element++) samples.add(element, BigInt(time), time);
      expect(samples.size).toBeLessThanOrEqual(1_000);
    }
  });

  test("are none after a gap or a value that is not a number", () => {
    const samples = new EarlierSamples(1n, 5n);
    at(samples, 3);
    expect(samples.add(0, 8n, 1)).toBeNull();
    expect(samples.add(0, 13n, 1)).toEqual({ time: 8n, value: 1 });
    samples.reset(0);
    expect(samples.size).toBe(0);
    expect(samples.add(0, 14n, 1)).toBeNull();
  });
});
