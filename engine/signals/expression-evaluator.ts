import {
  ExpressionError,
  fieldKey,
  type Expression,
  type Operator,
  type TimeFunctionName,
} from "@/engine/signals/expression";
import { mergeClocks, type Clock, type MergedClock, type Samples } from "@/engine/signals/expression-clock";
import { elementwise } from "@/engine/signals/expression-functions";
import { integrate, slideMean, slideMedian, slideRate } from "@/engine/signals/expression-windows";
import type { TimeSlicer } from "@/engine/time-slicer";

/** The most values that computing one expression makes, over all of its parts. */
const maxComputedValues = 40_000_000;

const flag = (holds: boolean, a: number, b: number): number =>
  Number.isNaN(a) || Number.isNaN(b) ? NaN : Number(holds);

/** The remainder has the sign of the divisor, so that angles and phases stay in one range. */
const remainder = (a: number, b: number): number => {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
};

const operations: Record<Operator, (a: number, b: number) => number> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": remainder,
  "^": (a, b) => a ** b,
  "<": (a, b) => flag(a < b, a, b),
  "<=": (a, b) => flag(a <= b, a, b),
  ">": (a, b) => flag(a > b, a, b),
  ">=": (a, b) => flag(a >= b, a, b),
  "==": (a, b) => flag(a === b, a, b),
  "!=": (a, b) => flag(a !== b, a, b),
};

type Value = Samples | number;

/**
 * Computes an expression from the samples of its fields, by `fieldKey`. Two samples of different topics meet as rules
 * combine them: the last value holds, but not for long. Throws an ExpressionError when it is too much to compute.
 */
export async function evaluateExpression(
  expression: Expression,
  fields: ReadonlyMap<string, Samples>,
  slicer: TimeSlicer,
): Promise<Samples> {
  const value = await new Evaluation(fields, slicer).evaluate(expression);
  if (typeof value === "number") throw new ExpressionError("The expression has no field");
  return value;
}

class Evaluation {
  private computed = 0;
  private readonly merged: { clocks: readonly Clock[]; merged: MergedClock }[] = [];
  private readonly delayed: { clock: Clock; ns: number; delayed: Clock }[] = [];

  constructor(
    private readonly fields: ReadonlyMap<string, Samples>,
    private readonly slicer: TimeSlicer,
  ) {}

  async evaluate(expression: Expression): Promise<Value> {
    switch (expression.kind) {
      case "number":
        return expression.value;
      case "field": {
        const samples = this.fields.get(fieldKey(expression));
        if (!samples) throw new ExpressionError(`The values of ${expression.topic}.${expression.field} are missing`);
        return samples;
      }
      case "operation": {
        const values = [await this.evaluate(expression.left), await this.evaluate(expression.right)];
        const compute = operations[expression.operator];
        return this.combine(values, (at) => compute(at[0]!, at[1]!));
      }
      case "call": {
        const values: Value[] = [];
        for (const value of expression.values) values.push(await this.evaluate(value));
        return this.combine(values, elementwise[expression.name].compute);
      }
      case "overTime": {
        const { name, of, durationNs } = expression;
        const samples = await this.evaluate(of);
        if (typeof samples === "number") throw new ExpressionError(`${name} needs a field`);
        await this.count(samples.clock.length);
        return this.overTime[name](samples, durationNs);
      }
    }
  }

  private readonly overTime: Record<TimeFunctionName, (samples: Samples, ns: number) => Samples> = {
    rate: (samples) => ({ clock: samples.clock, values: slideRate(samples) }),
    integral: (samples) => ({ clock: samples.clock, values: integrate(samples) }),
    mean: (samples, ns) => ({ clock: samples.clock, values: slideMean(samples, ns) }),
    median: (samples, ns) => ({ clock: samples.clock, values: slideMedian(samples, ns) }),
    delay: ({ clock, values }, ns) => ({ clock: this.delay(clock, ns), values }),
  };

  /** Applies a function to values at the same moments. */
  private async combine(operands: readonly Value[], compute: (values: Float64Array) => number): Promise<Value> {
    const at = new Float64Array(operands.length);
    const clocks = [...new Set(operands.flatMap((each) => (typeof each === "number" ? [] : [each.clock])))];
    const [first] = clocks;
    if (!first) {
      for (const [index, value] of operands.entries()) at[index] = Number(value);
      return compute(at);
    }
    const { clock, rows } = clocks.length === 1 ? { clock: first, rows: [null] } : await this.merge(clocks);
    await this.count(clock.length);
    const columns = operands.map((each) =>
      typeof each === "number"
        ? { values: null, rows: null, constant: each }
        : { values: each.values, rows: rows[clocks.indexOf(each.clock)] ?? null, constant: 0 },
    );
    const result = new Float64Array(clock.length);
    for (let row = 0; row < result.length; row++) {
      for (let index = 0; index < columns.length; index++) {
        const column = columns[index]!;
        const own = column.rows ? column.rows[row]! : row;
        at[index] = column.values ? (own < 0 ? NaN : column.values[own]!) : column.constant;
      }
      result[row] = compute(at);
    }
    return { clock, values: result };
  }

  private async merge(clocks: readonly Clock[]): Promise<MergedClock> {
    const known = this.merged.find(
      (each) => each.clocks.length === clocks.length && each.clocks.every((clock, at) => clock === clocks[at]),
    );
    if (known) return known.merged;
    await this.count(clocks.length * clocks.reduce((sum, clock) => sum + clock.length, 0));
    const merged = mergeClocks(clocks);
    this.merged.push({ clocks, merged });
    return merged;
  }

  private delay(clock: Clock, ns: number): Clock {
    const known = this.delayed.find((each) => each.clock === clock && each.ns === ns);
    if (known) return known.delayed;
    const delayed = clock.delayed(ns);
    this.delayed.push({ clock, ns, delayed });
    return delayed;
  }

  private async count(values: number): Promise<void> {
    this.computed += values;
    if (this.computed > maxComputedValues)
      throw new ExpressionError("The expression computes too many values over this time; show a shorter part");
    if (this.slicer.isOver) await this.slicer.yield();
  }
}
