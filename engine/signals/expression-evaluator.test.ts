import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fieldKey } from "@/engine/signals/expression";
import { Clock, type Samples } from "@/engine/signals/expression-clock";
import { evaluateExpression } from "@/engine/signals/expression-evaluator";
import { parseExpression } from "@/engine/signals/expression-parser";
import { TimeSlicer } from "@/engine/time-slicer";

const second = 1e9;

/** Topics with one field `v` and a second `u`, by name: [seconds, v, u], and how long samples hold. */
interface Data {
  [topic: string]: { hold?: number; rows: readonly (readonly [number, number, number?])[] };
}

async function evaluate(text: string, data: Data): Promise<[number, number][]> {
  const fields = ["v", "u"].map((path) => ({ path, kind: "number" }));
  const inputs = new Map<string, Samples>();
  for (const [topic, { hold = 5, rows }] of Object.entries(data)) {
    const clock = new Clock(
      Float64Array.from(rows, ([time]) => time * second),
      hold * second,
    );
    inputs.set(fieldKey({ topic, field: "v" }), { clock, values: Float64Array.from(rows, ([, v]) => v) });
    inputs.set(fieldKey({ topic, field: "u" }), { clock, values: Float64Array.from(rows, ([, , u]) => u ?? NaN) });
  }
  const topics = Object.keys(data).map((name) => ({ name, fields }));
  const { clock, values } = await evaluateExpression(parseExpression(text, topics), inputs, new TimeSlicer());
  return Array.from(values, (value, row) => [clock.times[row]! / second, value]);
}
const values = async (text: string, data: Data) => (await evaluate(text, data)).map(([, value]) => value);

describe("values at one moment", () => {
  const x = 0.7;
  const u = -2.25;
  test.each<[string, number]>([
    ["/a.v + /a.u * 2", x + u * 2],
    ["/a.u ^ 2 - 1", 4.0625],
    ["-/a.u ^ 2", -5.0625],
    ["2 ^ 3 ^ 0 * /a.v", 1.4],
    ["/a.u % 2", 1.75],
    ["-/a.u % -2", -1.75],
    ["/a.v % /a.u", x - 2.25],
    ["/a.v > 0.5", 1],
    ["/a.v < 0.5", 0],
    ["(/a.v >= 0.7) + (/a.v <= 0.7) + (/a.v == 0.7) + (/a.v != 0.7)", 3],
    ["abs(/a.u)", 2.25],
    ["min(/a.v, /a.u, 3)", u],
    ["max(/a.v, /a.u, 3)", 3],
    ["sqrt(/a.v)", 0.8366600265340756],
    ["sin(/a.v)", 0.644217687237691],
    ["cos(/a.v)", 0.7648421872844885],
    ["tan(/a.v)", 0.8422883804630794],
    ["asin(/a.v)", 0.775397496610753],
    ["acos(/a.v)", 0.7953988301841436],
    ["atan(/a.v)", 0.6107259643892086],
    ["atan2(/a.v, /a.u)", 2.8399736073235538],
    ["exp(/a.v)", 2.0137527074704766],
    ["log(/a.v)", -0.35667494393873245],
    ["floor(/a.u) + ceil(/a.u) * 10", -23],
    ["round(/a.u * 2)", -5],
    ["round(/a.v)", 1],
    ["deg(/a.v)", 40.10704565915762],
    ["rad(/a.v)", 0.012217304763960306],
    ["norm(/a.v, /a.u, 1)", Math.sqrt(0.49 + 5.0625 + 1)],
    ["diff_angle(/a.v * 10, /a.u)", 7 + 2.25 - 2 * Math.PI],
    ["diff_angle(3, -/a.v * 4)", 3 + 2.8 - 2 * Math.PI],
    ["diff_angle(/a.v, /a.v + pi)", Math.PI],
    ["/a.v * 1e400", Infinity],
  ])("%s is %d", async (text, expected) => {
    const [value] = await values(text, { "/a": { rows: [[0, x, u]] } });
    expect(value).toBeCloseTo(expected, 9);
  });

  test("NaN fulfils no comparison, and stays in every sum", async () => {
    for (const text of ["/a.v < 1", "/a.v != 1", "/a.v == /a.v", "max(/a.v, 1)", "/a.v * 0", "norm(/a.v, 1)"])
      expect(await values(text, { "/a": { rows: [[0, NaN]] } }), text).toEqual([NaN]);
  });

  test("the angles of an orientation are those it was made of, whatever its length", async () => {
    const angle = fc.double({ min: -3, max: 3, noNaN: true });
    const topics = [{ name: "/q", fields: ["x", "y", "z", "w"].map((path) => ({ path, kind: "number" })) }];
    await fc.assert(
      fc.asyncProperty(
        angle,
        angle,
        fc.double({ min: -1.5, max: 1.5, noNaN: true }),
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        async (yaw, roll, pitch, length) => {
          const [cy, sy, cp, sp, cr, sr] = [yaw, pitch, roll].flatMap((each) => [
            Math.cos(each / 2),
            Math.sin(each / 2),
          ]) as [number, number, number, number, number, number];
          const q = {
            x: sr * cp * cy - cr * sp * sy,
            y: cr * sp * cy + sr * cp * sy,
            z: cr * cp * sy - sr * sp * cy,
            w: cr * cp * cy + sr * sp * sy,
          };
          const clock = new Clock(Float64Array.of(0), Infinity);
          const inputs = new Map(
            Object.entries(q).map(([field, value]) => [
              fieldKey({ topic: "/q", field }),
              { clock, values: Float64Array.of(value * length) },
            ]),
          );
          for (const [text, expected] of [
            ["yaw(/q)", yaw],
            ["pitch(/q)", pitch],
            ["roll(/q)", roll],
          ] as const) {
            const result = await evaluateExpression(parseExpression(text, topics), inputs, new TimeSlicer());
            expect(Math.sin(result.values[0]!)).toBeCloseTo(Math.sin(expected), 6);
            expect(Math.cos(result.values[0]!)).toBeCloseTo(Math.cos(expected), 6);
          }
        },
      ),
    );
  });

  test("an orientation of zeros has no angle", async () => {
    const topics = [{ name: "/q", fields: ["x", "y", "z", "w"].map((path) => ({ path, kind: "number" })) }];
    const clock = new Clock(Float64Array.of(0), Infinity);
    const inputs = new Map(
      ["x", "y", "z", "w"].map((field) => [fieldKey({ topic: "/q", field }), { clock, values: Float64Array.of(0) }]),
    );
    const {
      values: [yaw],
    } = await evaluateExpression(parseExpression("yaw(/q)", topics), inputs, new TimeSlicer());
    expect(yaw).toBeNaN();
  });
});

describe("fields of two topics", () => {
  test("meet by the last value, at the moments of both", async () => {
    const data = {
      "/a": {
        rows: [
          [0, 1],
          [2, 2],
          [4, 3],
        ],
      },
      "/b": {
        rows: [
          [1, 10],
          [2, 20],
          [3, 30],
        ],
      },
    } as const;
    expect(await evaluate("/a.v + /b.v", data)).toEqual([
      [0, NaN],
      [1, 11],
      [2, 22],
      [3, 32],
      [4, 33],
    ]);
  });

  test("leave a hole where one of them is older than five periods", async () => {
    const data = {
      "/a": {
        hold: 5,
        rows: [
          [0, 1],
          [1, 2],
          [20, 3],
        ],
      },
      "/b": {
        hold: 100,
        rows: [
          [5, 1],
          [6, 1],
          [7, 1],
          [20, 1],
        ],
      },
    } as const;
    expect(await evaluate("/a.v + /b.v", data)).toEqual([
      [0, NaN],
      [1, NaN],
      [5, 3],
      [6, 3],
      [7, NaN],
      [20, 4],
    ]);
  });

  test("a sum of three knows the age of each of them", async () => {
    const data = {
      "/a": { hold: 2, rows: [[0, 1]] },
      "/b": { hold: 9, rows: [[1, 1]] },
      "/c": {
        hold: 9,
        rows: [
          [2, 1],
          [3, 1],
        ],
      },
    } as const;
    // At 3 s the sum of the first two is 2 s old, but the first of them 3 s.
    expect(await evaluate("(/a.v + /b.v) + /c.v", data)).toEqual([
      [0, NaN],
      [1, NaN],
      [2, 3],
      [3, NaN],
    ]);
  });

  const samples = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constant(NaN))), {
      maxLength: 25,
    })
    .map((rows) => rows.sort((a, b) => a[0] - b[0]));

  test("any samples: as if each moment were looked up on its own", async () => {
    const lookUp = (rows: [number, number][], hold: number, time: number): number => {
      const row = rows.findLast(([at]) => at <= time);
      return row && time - row[0] <= hold ? row[1] : NaN;
    };
    await fc.assert(
      fc.asyncProperty(
        samples,
        samples,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        async (a, b, holdA, holdB) => {
          const unique = (rows: [number, number][]) => rows.filter(([time], at) => rows[at + 1]?.[0] !== time);
          const [one, two] = [unique(a), unique(b)];
          const result = await evaluate("/a.v * 100 + /b.v", {
            "/a": { hold: holdA, rows: one },
            "/b": { hold: holdB, rows: two },
          });
          const times = [...new Set([...one, ...two].map(([time]) => time))].sort((x, y) => x - y);
          expect(result).toEqual(
            times.map((time) => [time, lookUp(one, holdA, time) * 100 + lookUp(two, holdB, time)]),
          );
        },
      ),
    );
  });

  test("any samples over time: as if each window were computed on its own", async () => {
    await fc.assert(
      fc.asyncProperty(
        samples,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 9 }),
        async (rows, window, hold) => {
          const data = { "/a": { hold, rows } };
          const inWindow = (at: number) =>
            rows
              .slice(0, at + 1)
              .filter(([time, value]) => time > rows[at]![0] - window && !Number.isNaN(value))
              .map(([, value]) => value);
          const orHole = (at: number, value: number) => (Number.isNaN(rows[at]![1]) ? NaN : value);
          const means = await values(`mean(/a.v, ${window}s)`, data);
          for (const [at, mean] of means.entries()) {
            const all = inWindow(at);
            const expected = orHole(at, all.reduce((sum, value) => sum + value, 0) / all.length);
            if (Number.isNaN(expected)) expect(mean).toBeNaN();
            else expect(mean).toBeCloseTo(expected, 9);
          }
          expect(await values(`median(/a.v, ${window}s)`, data)).toEqual(
            rows.map((_, at) => {
              const all = inWindow(at).sort((x, y) => x - y);
              return orHole(at, (all[(all.length - 1) >> 1]! + all[all.length >> 1]!) / 2);
            }),
          );
          expect(await values("rate(/a.v)", data)).toEqual(
            rows.map(([time, value]) => {
              const before = rows.findLast(([earlier]) => earlier < time);
              return before && time - before[0] <= hold ? (value - before[1]) / (time - before[0]) : NaN;
            }),
          );
          expect(await evaluate(`delay(/a.v, ${window}s)`, data)).toEqual(
            rows.map(([time, value]) => [time + window, value]),
          );
        },
      ),
    );
  });
});

describe("values over time", () => {
  test("an area is that of the trapezoids, without those beside a hole", async () => {
    const rows = [
      [0, 0],
      [1, 2],
      [2, 2],
      [3, NaN],
      [4, 2],
      [5, 4],
      [20, 4],
      [21, 4],
    ] as const;
    expect(await values("integral(/a.v)", { "/a": { rows } })).toEqual([0, 1, 3, NaN, 3, 6, 6, 10]);
  });

  test("one huge value disturbs no window without it", async () => {
    const rows = [
      [0, 0.1],
      [1, 1e308],
      [2, 1e308],
      [3, 0.1],
      [4, 0.2],
      [5, 0.3],
    ] as const;
    const means = await values("mean(/a.v, 2s)", { "/a": { rows } });
    expect(means[2]).toBe(Infinity);
    expect(means.slice(4)).toEqual([(0.2 + 0.1) / 2, (0.2 + 0.3) / 2]);
  });

  test("a value minus its own one second before", async () => {
    const rows = [
      [0, 1],
      [1, 4],
      [2, 9],
    ] as const;
    expect(await evaluate("/a.v - delay(/a.v, 1s)", { "/a": { rows } })).toEqual([
      [0, NaN],
      [1, 3],
      [2, 5],
      [3, 0],
    ]);
  });

  test("work is linear in the samples, and bounded", async () => {
    const count = 100_000;
    const rows = Array.from({ length: count }, (_, at): [number, number] => [at / 100, Math.sin(at)]);
    const some = rows.slice(0, count / 5);
    expect(await values("median(/a.v, 10s)", { "/a": { hold: 1, rows: some } })).toHaveLength(some.length);
    const much = Array.from({ length: 30 }, (_, at) => `delay(/a.v, ${((at + 1) * 1.000173).toFixed(6)}s)`).join("+");
    await expect(values(much, { "/a": { hold: 1, rows } })).rejects.toThrow("computes too many values");
  });
});
