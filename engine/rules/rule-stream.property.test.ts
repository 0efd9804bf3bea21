import fc from "fast-check";
import { expect, test } from "vitest";
import { listLeaves } from "@/domain/conditions/condition";
import { parseCondition } from "@/domain/conditions/condition-schema";
import { evaluateAll, seconds } from "@/engine/rules/recording.fixture";
import type { Metrics, StreamEvent, StreamStep } from "@/engine/rules/rule-stream";
import { createRuleStream } from "@/engine/rules/rule-stream";
import { countShare } from "@/server/testing/generated-cases";

const topic = "@heartbeat";
const since = 1_700_000_000_000_000_000n;
const ms = (count: number): bigint => BigInt(count) * 1_000_000n;

const value = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 9 }) },
  { weight: 1, arbitrary: fc.constantFrom(NaN, Infinity, 2.5) },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 2, arbitrary: fc.constantFrom("7", "4.25", "nan", "auto", "") },
);
const metrics: fc.Arbitrary<Metrics> = fc.record(
  { battery: value, cpu: value, mode: fc.oneof(value, fc.constantFrom("auto", "manual", "error: lidar")) },
  { requiredKeys: [] },
);
/** A heartbeat, or a look at the clock, some time after the one before; the stream is saved and loaded before it. */
const step = fc.record({
  after: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 1_000, max: 45_000 }) },
    { weight: 3, arbitrary: fc.constantFrom(10_000, 30_000, 60_000, 150_000, 150_001) },
    { weight: 1, arbitrary: fc.integer({ min: 100_000, max: 900_000 }) },
  ),
  metrics: fc.option(metrics, { freq: 5 }),
  restart: fc.boolean(),
});

const field = fc.constantFrom("battery", "cpu", "mode");
const duration = fc.constantFrom("10s", "30s", "45s", "1m", "2m30s", "5m");
const number = fc.integer({ min: 1, max: 8 });
const operator = fc.constantFrom("gt", "gte", "lt", "lte", "eq", "neq");
const range = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 5, max: 9 }));
const comparison = fc.oneof(
  { weight: 4, arbitrary: fc.record({ operator, value: number }) },
  { weight: 1, arbitrary: fc.record({ operator: fc.constantFrom("between", "outside"), value: range }) },
);
const equality = fc.record({
  operator: fc.constantFrom("eq", "neq"),
  value: fc.oneof(fc.constantFrom("auto", "7"), fc.boolean()),
});
const recover = fc.record({ recover: comparison });
const leaf = fc.oneof(
  fc
    .tuple(
      fc.record({ field, window: duration, keep_for: duration }, { requiredKeys: ["field"] }),
      fc.oneof({ weight: 3, arbitrary: comparison }, { weight: 1, arbitrary: equality }),
      fc.option(recover, { nil: {} }),
    )
    .map(([held, compared, recovers]) => ({ type: "threshold", topic, ...held, ...compared, ...recovers })),
  fc
    .tuple(
      fc.record({ field, over: duration, window: duration, keep_for: duration }, { requiredKeys: ["field"] }),
      fc.record({ operator: fc.constantFrom("gt", "lt", "gte", "neq"), value: fc.constantFrom(-0.1, 0, 0.05, 0.2) }),
    )
    .map(([held, compared]) => ({ type: "rate", topic, ...held, ...compared })),
  fc
    .record(
      { field, regex: fc.constantFrom("^auto$", "err", "[3-6]", "true|7"), keep_for: duration },
      { requiredKeys: ["field", "regex"] },
    )
    .map((held) => ({ type: "pattern", topic, ...held })),
  fc
    .tuple(
      fc.record(
        { count_operator: operator, count: fc.integer({ min: 0, max: 8 }), window: duration, keep_for: duration },
        { requiredKeys: ["count_operator", "count", "window"] },
      ),
      fc.option(
        fc.tuple(field, comparison).map(([name, compared]) => ({ field: name, ...compared })),
        { nil: {} },
      ),
    )
    .map(([counted, filter]) => ({ type: "frequency", topic, ...counted, ...filter })),
  fc
    .record({ timeout: duration, keep_for: duration }, { requiredKeys: ["timeout"] })
    .map((silent) => ({ type: "absence", topic, ...silent })),
);
const composite = (part: fc.Arbitrary<object>): fc.Arbitrary<object> =>
  fc
    .record(
      {
        operator: fc.constantFrom("and", "or"),
        conditions: fc.array(part, { minLength: 1, maxLength: 3 }),
        hold: duration,
        keep_for: duration,
      },
      { requiredKeys: ["operator", "conditions"] },
    )
    .map((members) => ({ type: "composite", ...members }));
const condition = fc
  .tuple(
    fc.oneof(leaf, composite(leaf), composite(fc.oneof(leaf, composite(leaf)))),
    fc.record({ cooldown: fc.constantFrom("30s", "5m", "1h") }, { requiredKeys: [] }),
  )
  .map(([node, cooldown]) => parseCondition({ ...node, ...cooldown }));

const median = 30_000_000_000n;

test("heartbeats one by one, with restarts, give the episodes of all of them at once", () => {
  let found = 0;
  fc.assert(
    fc.property(condition, fc.array(step, { minLength: 1, maxLength: 60, size: "max" }), (rule, steps) => {
      const input = { uid: "rule0", version: 3, condition: rule };
      let stream = createRuleStream(input);
      stream.load(null, since);
      const events: StreamEvent[] = [];
      let last: StreamStep | null = null;
      let dueAt: bigint | null = null;
      const take = (taken: StreamStep) => {
        // Silence alone changes something exactly where the step before said it would.
        events.push(...taken.events);
        last = taken;
        dueAt = taken.nextAt;
      };
      const messages: { topic: string; time: bigint; value: unknown }[] = [];
      const sample = (time: bigint, sent: Metrics) => {
        messages.push({ topic, time, value: sent });
        const taken = stream.sample(time, sent);
        expect(taken).not.toBeNull();
        take(taken!);
        expect(stream.sample(time, sent)).toBeNull();
      };
      // A recording says only at its end which fields it has; a stream learns it from its first heartbeat.
      sample(since, { battery: 3, cpu: 4, mode: 5 });
      let now = since;
      for (const { after, metrics: sent, restart } of steps) {
        if (restart) {
          const saved: unknown = JSON.parse(JSON.stringify(stream.save()));
          stream = createRuleStream(input);
          expect(stream.load(saved, since)).toBe(true);
          expect(JSON.parse(JSON.stringify(stream.save()))).toEqual(saved);
        }
        now += ms(after);
        if (sent) sample(now, sent);
        else {
          const before = last!.known;
          const due = dueAt;
          take(stream.advance(now));
          if (due === null || due > now) expect([last!.events, last!.known]).toEqual([[], before]);
        }
      }
      take(stream.advance(now));

      const facts = {
        startTime: since,
        endTime: now,
        truncated: false,
        topics: [{ topic, messageCount: messages.length, medianPeriodNs: median }],
      };
      const [expected] = evaluateAll([rule], facts, messages);
      const single = listLeaves(rule).length === 1 && rule.type !== "composite" ? rule : null;
      const episodes: unknown[] = [];
      let suppressed = 0;
      let open: (StreamEvent & { kind: "begin" }) | null = null;
      const shown = (
        hit: Pick<StreamEvent & { kind: "begin" }, "startedAt" | "triggeredAt" | "value" | "evidence">,
      ) => ({
        startedAt: seconds(hit.startedAt - since),
        triggeredAt: seconds(hit.triggeredAt - since),
        value: hit.value,
        leaves: hit.evidence.leaves.map(({ samples: _, value: seen, value_at, ...leaf }, at) => {
          // Of an episode that was resumed, only its last end is retained for a recording's evidence.
          const resumes = listLeaves(rule)[at]?.keep_for !== undefined;
          return resumes ? [leaf.path, leaf.holds] : { ...leaf, seen, value_at };
        }),
      });
      for (const event of events) {
        if (event.kind === "begin") {
          expect(open).toBeNull();
          open = event;
        } else {
          expect(open?.triggeredAt).toBe(event.triggeredAt);
          const peak = single ? { peak: event.peak } : {};
          episodes.push({ ...shown(open!), endedAt: seconds(event.endedAt - since), ...peak });
          suppressed += event.suppressed;
          open = null;
        }
      }
      if (open) episodes.push({ ...shown(open), endedAt: seconds(now - since) });
      expect(episodes).toEqual(
        expected!.hits.map((hit, at) => ({
          ...shown(hit),
          endedAt: seconds(hit.endedAt - since),
          ...(single && !(open && at === expected!.hits.length - 1) ? { peak: hit.peak } : {}),
        })),
      );
      expect(suppressed + stream.save().suppressed).toBe(expected!.suppressed);
      expect(JSON.stringify(stream.save()).length).toBeLessThan(60_000);
      found += episodes.length;
    }),
    { numRuns: countShare(500), seed: 20_261_129 },
  );
  // The sequences are such that conditions hold.
  expect(found).toBeGreaterThan(countShare(500));
});
