import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CountOperator } from "@/domain/conditions/operators";
import type { RecordingFacts, RuleResult } from "@/engine/rules/evaluate";
import { evaluateAll, type TimedMessage } from "@/engine/rules/recording.fixture";
import { countShare } from "@/server/testing/generated-cases";

// Instants are whole milliseconds, so that the references below can evaluate each of them.
const ms = (count: number): bigint => BigInt(count) * 1_000_000n;
const inMs = (time: bigint): number => Number(time / 1_000_000n);
const end = 60;
const runs = countShare(300);

type Sample = [number, number | null];
const times = fc
  .uniqueArray(fc.integer({ min: 0, max: end }), { maxLength: 30 })
  .map((list) => list.sort((a, b) => a - b));
const values = fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0, max: 9 }) }, fc.constant(null), fc.constant(NaN));
const samples: fc.Arbitrary<Sample[]> = times.chain((list) =>
  fc.tuple(...list.map((time) => values.map((value): Sample => [time, value]))),
);
const ticks = fc.array(fc.integer({ min: 0, max: end }), { maxLength: 40 }).map((list) => list.sort((a, b) => a - b));

function facts(lengths: Record<string, number>, median: number | null = null): RecordingFacts {
  const topics = Object.entries(lengths).map(([topic, messageCount]) => ({
    topic,
    messageCount,
    medianPeriodNs: median === null ? null : ms(median),
  }));
  return { startTime: 0n, endTime: ms(end), truncated: false, topics };
}

const toMessages = (topic: string, list: readonly Sample[]): TimedMessage[] =>
  list.map(([time, value]) => ({ topic, time: ms(time), value: { value } }));

const spans = (result: RuleResult) => result.hits.map((hit) => [inMs(hit.triggeredAt), inMs(hit.endedAt)]);

/** The spans over which a signal is true that is known at every millisecond; one that lasts to the end, ends there. */
function listSpans(signal: (time: number) => boolean): [number, number][] {
  const found: [number, number][] = [];
  for (let time = 0; time <= end; time++) {
    if (!signal(time)) continue;
    const last = found[found.length - 1];
    if (last && last[1] === time) last[1] = time + 1;
    else found.push([time, time + 1]);
  }
  return found.map(([from, to]) => [from, Math.min(to, end)]);
}

describe("a threshold agrees with its definition", () => {
  /** Computes for each sample separately where its unbroken run of true samples starts and ends. */
  function reference(list: Sample[], window: number, gap: number | null): [number, number][] {
    const known = list.filter(([, value]) => value !== null) as [number, number][];
    const broken = (index: number) => gap !== null && known[index]![0] - known[index - 1]![0] > gap;
    const holds = (index: number) => known[index]![1] > 5;
    const firstOfRun = (index: number): number => {
      while (index > 0 && holds(index - 1) && !broken(index)) index--;
      return index;
    };
    const qualifies = (index: number) => holds(index) && known[index]![0] - known[firstOfRun(index)]![0] >= window;
    const found: [number, number][] = [];
    for (let index = 0; index < known.length; index++) {
      if (!qualifies(index)) continue;
      if (index > 0 && firstOfRun(index) !== index && qualifies(index - 1)) continue;
      let last = index;
      while (last + 1 < known.length && holds(last + 1) && !broken(last + 1)) last++;
      const next = last + 1 < known.length ? known[last + 1]![0] : end + 1;
      const silent = gap === null ? Infinity : known[last]![0] + gap;
      found.push([known[index]![0], Math.min(next > silent ? silent : next, end)]);
    }
    return found;
  }

  test("for any samples, window and gap limit", () => {
    fc.assert(
      fc.property(
        samples,
        fc.integer({ min: 0, max: 12 }),
        fc.option(fc.integer({ min: 1, max: 3 })),
        (list, window, median) => {
          const condition = {
            type: "threshold",
            topic: "/a",
            field: "value",
            operator: "gt",
            value: 5,
            ...(window > 0 ? { window: `${window}ms` } : {}),
          };
          const result = evaluateAll([condition], facts({ "/a": list.length }, median), toMessages("/a", list))[0]!;
          expect(spans(result)).toEqual(reference(list, window, median === null ? null : median * 5));
        },
      ),
      { numRuns: runs },
    );
  });
});

describe("a frequency agrees with its definition", () => {
  const holds: Record<CountOperator, (a: number, b: number) => boolean> = {
    gt: (a, b) => a > b,
    gte: (a, b) => a >= b,
    lt: (a, b) => a < b,
    lte: (a, b) => a <= b,
    eq: (a, b) => a === b,
    neq: (a, b) => a !== b,
  };
  const names = Object.keys(holds) as CountOperator[];

  test("for any messages, several at one instant included", () => {
    fc.assert(
      fc.property(
        ticks.filter((list) => list.length > 0),
        fc.constantFrom(...names),
        fc.integer({ min: 0, max: 8 }),
        fc.integer({ min: 1, max: 20 }),
        (list, operator, count, window) => {
          const condition = { type: "frequency", topic: "/a", count_operator: operator, count, window: `${window}ms` };
          const messages = list.map((time) => ({ topic: "/a", time: ms(time), value: undefined }));
          const result = evaluateAll([condition], facts({ "/a": list.length }), messages)[0]!;
          const from = holds[operator](0, count) ? window : 0;
          const signal = (time: number) =>
            time >= from && holds[operator](list.filter((at) => at > time - window && at <= time).length, count);
          expect(spans(result)).toEqual(listSpans(signal));
        },
      ),
      { numRuns: runs },
    );
  });

  test("with a filter on the messages counted", () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 20 }), (list, count, window) => {
        fc.pre(list.some(([, value]) => value !== null));
        const condition = { type: "frequency", topic: "/a", count_operator: "gte", count, window: `${window}ms` };
        const filter = { field: "value", operator: "gt", value: 5 };
        const result = evaluateAll(
          [{ ...condition, ...filter }],
          facts({ "/a": list.length }),
          toMessages("/a", list),
        )[0]!;
        const matching = list.filter(([, value]) => value !== null && value > 5);
        const signal = (time: number) => matching.filter(([at]) => at > time - window && at <= time).length >= count;
        expect(spans(result)).toEqual(listSpans(signal));
      }),
      { numRuns: runs },
    );
  });
});

describe("an absence agrees with its definition", () => {
  test("for any messages and timeout", () => {
    fc.assert(
      fc.property(ticks, fc.integer({ min: 1, max: 70 }), (list, timeout) => {
        const condition = { type: "absence", topic: "/a", timeout: `${timeout}ms` };
        const messages = list.map((time) => ({ topic: "/a", time: ms(time), value: undefined }));
        const result = evaluateAll([condition], facts({ "/a": list.length }), messages)[0]!;
        const signal = (time: number) => time - Math.max(0, ...list.filter((at) => at <= time)) >= timeout;
        expect(spans(result)).toEqual(listSpans(signal));
      }),
      { numRuns: runs },
    );
  });
});

const leaf = (topic: fc.Arbitrary<string>): fc.Arbitrary<Record<string, unknown>> =>
  fc.oneof(
    fc.record(
      {
        type: fc.constant("threshold"),
        topic,
        field: fc.constant("value"),
        operator: fc.constantFrom("gt", "lte", "neq"),
        value: fc.integer({ min: 2, max: 7 }),
        window: fc.constantFrom("3ms", "8ms"),
        keep_for: fc.constantFrom("2ms", "5ms"),
      },
      { requiredKeys: ["type", "topic", "field", "operator", "value"] },
    ),
    fc.record({
      type: fc.constant("pattern"),
      topic,
      field: fc.constant("value"),
      regex: fc.constantFrom("[1-4]", "^7$"),
    }),
    fc.record({
      type: fc.constant("frequency"),
      topic,
      count_operator: fc.constantFrom("gt", "lt", "eq"),
      count: fc.integer({ min: 0, max: 4 }),
      window: fc.constantFrom("5ms", "12ms"),
    }),
    fc.record({ type: fc.constant("absence"), topic, timeout: fc.constantFrom("4ms", "9ms") }),
  );

const topicNames = ["/a", "/b", "/c/x", "/c/y"];
const named = fc.constantFrom("/a", "/b", "/c/x");
const anyTopic = fc.constantFrom(...topicNames, "/c/*", "/missing");

const condition = fc.oneof(
  leaf(anyTopic),
  fc.record(
    {
      type: fc.constant("composite"),
      operator: fc.constantFrom("and", "or"),
      conditions: fc.array(leaf(anyTopic), { minLength: 1, maxLength: 3 }),
      hold: fc.constantFrom("3ms", "20ms"),
      cooldown: fc.constantFrom("5ms", "30ms"),
    },
    { requiredKeys: ["type", "operator", "conditions"] },
  ),
);

test("a composite is the intersection or union of what its children are by themselves", () => {
  fc.assert(
    fc.property(
      fc.tuple(samples, samples, samples),
      fc.array(leaf(named), { minLength: 1, maxLength: 4 }),
      fc.constantFrom("and", "or"),
      fc.option(fc.integer({ min: 1, max: 10 }), { nil: 0 }),
      (lists, children, operator, hold) => {
        fc.pre(lists.every((list) => list.some(([, value]) => value !== null)));
        const recorded = facts(Object.fromEntries(lists.map((list, index) => [topicNames[index]!, list.length])), 2);
        const messages = lists.flatMap((list, index) => toMessages(topicNames[index]!, list));
        const parent = {
          type: "composite",
          operator,
          conditions: children,
          ...(hold > 0 ? { hold: `${hold}ms` } : {}),
        };
        const [result, ...alone] = evaluateAll([parent, ...children], recorded, messages);
        const signals = alone.map(
          ({ hits }) =>
            (time: number) =>
              hits.some((hit) => {
                const ended = inMs(hit.endedAt);
                return time >= inMs(hit.triggeredAt) && (time < ended + hold || ended === end);
              }),
        );
        const signal = (time: number) =>
          operator === "and" ? signals.every((one) => one(time)) : signals.some((one) => one(time));
        const expected = listSpans(signal);
        // A list of hits does not show whether a child still held at the last instant.
        const inside = ([from]: readonly number[]) => from! < end;
        expect(spans(result!).filter(inside)).toEqual(expected.filter(inside));
      },
    ),
    { numRuns: runs },
  );
});

/** Merges topics in an order drawn by chance; each topic's own messages stay in order. */
function interleaved(lists: TimedMessage[][], order: readonly number[]): TimedMessage[] {
  const rest = lists.map((list) => [...list]);
  const merged: TimedMessage[] = [];
  for (let turn = 0; rest.some((list) => list.length > 0); turn++) {
    const open = rest.filter((list) => list.length > 0);
    merged.push(open[(order[turn % Math.max(order.length, 1)] ?? 0) % open.length]!.shift()!);
  }
  return merged;
}

test("results, evidence included, do not depend on how topics interleave, nor on how files are cut", () => {
  fc.assert(
    fc.property(
      fc.tuple(samples, samples, samples, samples),
      fc.array(condition, { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat({ max: 3 }), { maxLength: 40 }),
      fc.boolean(),
      (lists, conditions, order, truncated) => {
        const tracks = lists.map((list, index) => toMessages(topicNames[index]!, list));
        const lengths = Object.fromEntries(lists.map((list, index) => [topicNames[index]!, list.length]));
        const recorded = { ...facts(lengths, 2), truncated };
        const byTime = tracks.flat().sort((a, b) => Number(a.time - b.time));
        const expected = evaluateAll(conditions, recorded, byTime);
        expect(evaluateAll(conditions, recorded, tracks.flat())).toEqual(expected);
        const elsewhere = { ...recorded, topics: [...recorded.topics].reverse() };
        expect(evaluateAll(conditions, elsewhere, interleaved(tracks, order))).toEqual(expected);
      },
    ),
    { numRuns: runs },
  );
});

test("what a rule finds does not depend on which rules are evaluated beside it", () => {
  fc.assert(
    fc.property(
      fc.tuple(samples, samples, samples, samples),
      fc.array(condition, { minLength: 2, maxLength: 6 }),
      (lists, conditions) => {
        const messages = lists.flatMap((list, index) => toMessages(topicNames[index]!, list));
        const recorded = facts(Object.fromEntries(lists.map((list, index) => [topicNames[index]!, list.length])), 2);
        const hits = (results: RuleResult[]) =>
          results.map(({ hits, status, notes }) => ({
            status,
            notes,
            hits: hits.map((hit) => ({ ...hit, evidence: null })),
          }));
        const together = hits(evaluateAll(conditions, recorded, messages));
        expect(conditions.flatMap((one) => hits(evaluateAll([one], recorded, messages)))).toEqual(together);
      },
    ),
    { numRuns: runs },
  );
});
