import { elementwise, type ElementwiseName } from "@/engine/signals/expression-functions";

interface TimeFunction {
  takesDuration: boolean;
  /** What it reads before a moment, besides what its value reads. */
  reach: (inside: Reach, durationNs: number) => Reach;
  toUnit: (unit: string) => string;
  says: string;
}

export type TimeFunctionName = "rate" | "integral" | "mean" | "median" | "delay";

const ofDuration = (says: string): TimeFunction => ({
  takesDuration: true,
  reach: ({ ns, samples }, durationNs) => ({ ns: ns + durationNs, samples }),
  toUnit: (unit) => unit,
  says,
});

/** The functions that need other samples than the one at their moment. */
export const timeFunctions: Record<TimeFunctionName, TimeFunction> = {
  rate: {
    takesDuration: false,
    reach: ({ ns, samples }) => ({ ns, samples: samples + 1 }),
    toUnit: (unit) => `${unit}/s`,
    says: "change per second since the sample before",
  },
  integral: {
    takesDuration: false,
    reach: ({ samples }) => ({ ns: Infinity, samples }),
    toUnit: (unit) => `${unit}·s`,
    says: "area below the line since the beginning, per second",
  },
  mean: ofDuration("mean of the samples of this long before"),
  median: ofDuration("median of the samples of this long before"),
  delay: ofDuration("the value this long before"),
};

/** Operators of two values, from those that bind least. */
export const comparisons = ["<", "<=", ">", ">=", "==", "!="] as const;
export const sums = ["+", "-"] as const;
export const products = ["*", "/", "%"] as const;
export type Operator = (typeof comparisons)[number] | (typeof sums)[number] | (typeof products)[number] | "^";

/** A field of a topic, as the recording names it. */
export interface FieldOperand {
  kind: "field";
  topic: string;
  field: string;
}

/** What an expression says, after it was read. */
export type Expression =
  | { kind: "number"; value: number }
  | FieldOperand
  | { kind: "operation"; operator: Operator; left: Expression; right: Expression }
  | { kind: "call"; name: ElementwiseName; values: Expression[] }
  | { kind: "overTime"; name: TimeFunctionName; of: Expression; durationNs: number };

/** The most characters of an expression. */
export const maxExpressionLength = 1_000;

/** Why an expression cannot be read or computed; `position` is that of a character, from 0. */
export class ExpressionError extends Error {
  constructor(
    message: string,
    readonly position: number | null = null,
  ) {
    super(position === null ? `${message}.` : `${message} at position ${position}.`);
  }
}

/** The expressions inside one. */
function listParts(expression: Expression): Expression[] {
  switch (expression.kind) {
    case "operation":
      return [expression.left, expression.right];
    case "call":
      return expression.values;
    case "overTime":
      return [expression.of];
    case "number":
    case "field":
      return [];
  }
}

export const fieldKey = ({ topic, field }: { topic: string; field: string }): string => `${topic}\n${field}`;

/** The fields of an expression, each once. */
export function listFields(expression: Expression): FieldOperand[] {
  const found = new Map<string, FieldOperand>();
  const visit = (each: Expression): void => {
    if (each.kind === "field") found.set(fieldKey(each), each);
    for (const part of listParts(each)) visit(part);
  };
  visit(expression);
  return [...found.values()];
}

/** How much of the past an expression needs: nanoseconds, and how many rates lie inside each other. */
export interface Reach {
  ns: number;
  /** Each rate needs one sample more. */
  samples: number;
}

/** What must be read before a window to compute an expression in it; infinite where that is everything. */
export function computeReach(expression: Expression): Reach {
  const parts = listParts(expression).map(computeReach);
  const inside = {
    ns: Math.max(0, ...parts.map(({ ns }) => ns)),
    samples: Math.max(0, ...parts.map(({ samples }) => samples)),
  };
  if (expression.kind !== "overTime") return inside;
  return timeFunctions[expression.name].reach(inside, expression.durationNs);
}

/** The unit of an expression where it is plain from those of its fields. */
export function findUnit(
  expression: Expression,
  unitOf: (field: FieldOperand) => string | undefined,
): string | undefined {
  const find = (each: Expression): string | undefined => findUnit(each, unitOf);
  const shared = (parts: Expression[]): string | undefined => {
    const units = new Set(parts.filter(({ kind }) => kind !== "number").map(find));
    return units.size === 1 ? [...units][0] : undefined;
  };
  switch (expression.kind) {
    case "number":
      return undefined;
    case "field":
      return unitOf(expression);
    case "operation": {
      const { operator, left, right } = expression;
      // A number beside a field may convert it into another unit; a sign is a difference from zero.
      const converts = [left, right].some((each) => each.kind === "number" && each.value !== 0);
      return (operator === "+" || operator === "-") && !converts ? shared([left, right]) : undefined;
    }
    case "call": {
      const { unit } = elementwise[expression.name];
      return unit === "same" ? shared(expression.values) : unit;
    }
    case "overTime": {
      const unit = find(expression.of);
      return unit === undefined ? undefined : timeFunctions[expression.name].toUnit(unit);
    }
  }
}
