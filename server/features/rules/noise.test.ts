import { describe, expect, test } from "vitest";
import { maxTriggers } from "@/engine/rules/evaluate";
import { at, evaluate, every, seconds, spans, triggers } from "@/engine/rules/recording.fixture";

const hot = { type: "threshold", topic: "/temp", field: "value", operator: "gt", value: 80 };
const temp = (values: unknown[], period = 1) => ({ "/temp": every(period, values) });

describe("noise is reduced", () => {
  test("by a recover condition: the episode ends only where it holds", () => {
    const values = [81, 79, 81, 76, 81, 74, 81];
    expect(triggers(hot, temp(values))).toEqual([0, 2, 4, 6]);
    expect(spans({ ...hot, recover: { operator: "<", value: 75 } }, temp(values))).toEqual([
      [0, 0, 5],
      [6, 6, 6],
    ]);
  });
  test("by a recover condition: all values have to satisfy it, although any value starts an episode", () => {
    const values = [
      [70, 81],
      [70, 79],
      [76, 70],
      [74, 70],
      [81, 70],
    ];
    const recovering = { ...hot, recover: { operator: "lt", value: 75 } };
    expect(triggers(recovering, temp(values))).toEqual([0, 4]);
    expect(spans(recovering, temp(values))[0]).toEqual([0, 0, 3]);
  });
  test("but NaN and silence end an episode without recovery", () => {
    const recovering = { ...hot, recover: { operator: "lt", value: 75 } };
    expect(triggers(recovering, temp([81, NaN, 81]))).toEqual([0, 2]);
    expect(triggers(recovering, { "/temp": at([0, 1, 2, 20], { value: 81 }) })).toEqual([0, 20]);
  });
  test("by keep_for: an episode that resumes in time continues, without waiting for its window again", () => {
    const values = [81, 81, 81, 79, 79, 81, 79, 79, 79, 79, 81, 81];
    expect(spans({ ...hot, window: "2s", keep_for: "3s" }, temp(values))).toEqual([[0, 2, 9]]);
    expect(triggers({ ...hot, keep_for: "3s" }, temp(values))).toEqual([0, 10]);
    expect(triggers({ ...hot, keep_for: "4s" }, temp(values))).toEqual([0, 10]);
    expect(triggers({ ...hot, keep_for: "4.5s" }, temp(values))).toEqual([0]);
  });
  test("by a cooldown, which counts what it suppresses", () => {
    const values = [81, 79, 81, 79, 81, 79, 81];
    const result = evaluate({ ...hot, cooldown: "4s" }, temp(values));
    expect(result.hits.map((hit) => [seconds(hit.triggeredAt), hit.evidence.suppressed])).toEqual([
      [0, 1],
      [4, 1],
    ]);
    expect(result.suppressed).toBe(2);
  });
  test("by a cooldown over several topics and composites alike", () => {
    const tracks = { "/t/a": every(1, [81, 79, 79, 79, 81]), "/t/b": every(1, [79, 79, 81, 79, 79, 81]) };
    const either = { ...hot, topic: "/t/*" };
    expect(triggers(either, tracks)).toEqual([0, 2, 4]);
    expect(evaluate({ ...either, cooldown: "3s" }, tracks)).toMatchObject({ suppressed: 1, hits: [{}, {}] });
    const composite = { type: "composite", operator: "or", conditions: [either], cooldown: "3s" };
    expect(evaluate(composite, tracks)).toMatchObject({ suppressed: 1, hits: [{}, {}] });
  });
  test(`by a cap: ${maxTriggers} triggers and the storm flag`, () => {
    const flapping = temp(
      Array.from({ length: 5000 }, (_, index) => (index % 2 === 0 ? 90 : 70)),
      0.01,
    );
    for (const condition of [hot, { type: "composite", operator: "or", conditions: [hot] }, { ...hot, topic: "/*" }]) {
      const result = evaluate(condition, flapping);
      expect(result.hits).toHaveLength(maxTriggers + 1);
      expect(result.hits.map((hit) => hit.evidence.storm).indexOf(true)).toBe(maxTriggers);
      expect(result).toMatchObject({ status: "evaluated", storm: true, notes: [expect.stringMatching(/storm/)] });
    }
  });
  test("a flapping signal under a cooldown is evaluated to its end", () => {
    const flapping = temp(
      Array.from({ length: 20_000 }, (_, index) => (index % 2 === 0 ? 90 : 70)),
      0.01,
    );
    const result = evaluate({ ...hot, cooldown: "50s" }, flapping);
    expect(result.hits.map((hit) => seconds(hit.triggeredAt))).toEqual([0, 50, 100, 150]);
    expect(result).toMatchObject({ suppressed: 10_000 - 4, storm: false });
  });
});
