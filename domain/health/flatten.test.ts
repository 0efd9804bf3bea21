import { expect, test } from "vitest";
import { flattenMetrics, ignoredReasons } from "@/domain/health/flatten";

const list = (metrics: Record<string, unknown>) => {
  const { numbers, states, ignored } = flattenMetrics(metrics);
  return {
    numbers: Object.fromEntries(numbers),
    states: Object.fromEntries([...states].map(([name, { value }]) => [name, value])),
    ignored: Object.fromEntries(ignored.map(({ name, reason }) => [name, reason])),
  };
};

test("numbers, texts and booleans are kept, with dots for objects inside", () => {
  const metrics = { battery: 0.87, charging: false, mode: "auto", disk: { free_gb: 12, root: { used: 3 } } };
  expect(list(metrics)).toEqual({
    numbers: { battery: 0.87, "disk.free_gb": 12, "disk.root.used": 3 },
    states: { charging: false, mode: "auto" },
    ignored: {},
  });
  expect(flattenMetrics({ state: { mode: "auto" } }).states.get("state.mode")?.path).toEqual(["state", "mode"]);
});

test("what cannot be kept is named with its reason, and nothing else is lost for it", () => {
  const deep = { a: { b: { c: 1 } } };
  const metrics = { ...{ deep, errors: [1], gone: null, ße: 1, long: "x".repeat(201), huge: Infinity }, ok: 1 };
  expect(list(metrics)).toEqual({
    numbers: { ok: 1 },
    states: {},
    ignored: {
      "deep.a.b": ignoredReasons.deep,
      errors: ignoredReasons.list,
      gone: ignoredReasons.null,
      ße: ignoredReasons.name,
      long: ignoredReasons.text,
      huge: ignoredReasons.number,
    },
  });
  expect(list({ "a.b": 1, a: { b: 2 } })).toMatchObject({
    numbers: { "a.b": 1 },
    ignored: { "a.b": ignoredReasons.twice },
  });
  expect(list({ "": 1, ["n".repeat(65)]: 1, ["n".repeat(64)]: 1 }).numbers).toEqual({ ["n".repeat(64)]: 1 });
  expect(list({ text: "ä".repeat(200) }).ignored).toEqual({});
});

test("a heartbeat has 64 metrics, and at most 100 are named as ignored", () => {
  const metrics = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`m${n}`, n % 2 ? n : `state ${n}`]));
  const { numbers, states, ignored } = flattenMetrics(metrics);
  expect([numbers.size, states.size, ignored.length]).toEqual([32, 32, 100]);
  expect(ignored[0]).toEqual({ name: "m64", reason: ignoredReasons.heartbeat });
});

test("names of the prototype are names like others", () => {
  const metrics = JSON.parse('{"__proto__": 4, "constructor": {"toString": 2}}') as Record<string, unknown>;
  expect(Object.fromEntries(flattenMetrics(metrics).numbers)).toEqual({ ["__proto__"]: 4, "constructor.toString": 2 });
});
