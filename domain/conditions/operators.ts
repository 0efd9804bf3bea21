interface OperatorFacts {
  /** Accepted by the API as an alternative to the name, and used in descriptions. */
  symbol?: string;
  /** Mathematical sign, for screens. */
  sign?: string;
  /** "the value … 80" */
  compares: string;
  /** "… 5 messages" */
  counts?: string;
}

/** The facts of each operator; everything else derives from them. */
const facts = {
  gt: { symbol: ">", sign: ">", compares: "is above", counts: "more than" },
  gte: { symbol: ">=", sign: "≥", compares: "is at least", counts: "at least" },
  lt: { symbol: "<", sign: "<", compares: "is below", counts: "fewer than" },
  lte: { symbol: "<=", sign: "≤", compares: "is at most", counts: "at most" },
  eq: { symbol: "==", sign: "=", compares: "equals", counts: "exactly" },
  neq: { symbol: "!=", sign: "≠", compares: "differs from", counts: "other than" },
  between: { compares: "is between" },
  outside: { compares: "is outside" },
} as const satisfies Record<string, OperatorFacts>;

export type Operator = keyof typeof facts;
export const operators = Object.keys(facts) as Operator[];

/** A count is compared with one integer, so ranges are left out. */
export type CountOperator = Exclude<Operator, "between" | "outside">;
export const isOperator = (operator: string | null): operator is Operator =>
  operators.some((known) => known === operator);
export const isRange = (operator: string): operator is "between" | "outside" =>
  operator === "between" || operator === "outside";
export const countOperators = operators.filter((operator): operator is CountOperator => !isRange(operator));

/** `>=` */
export const getSymbol = (operator: CountOperator): string => facts[operator].symbol;
/** `more than`, of a number of messages. */
export const getCountPhrase = (operator: CountOperator): string => facts[operator].counts;

export const isCountOperator = (operator: string | null): operator is CountOperator =>
  countOperators.some((known) => known === operator);
/** `≥`, or the operator's name where it has no sign. */
export const getSign = (operator: string): string => (isCountOperator(operator) ? facts[operator].sign : operator);

/** `is at least (≥)`, for a choice of operators. */
export function operatorLabel(operator: Operator): string {
  const { compares } = facts[operator];
  return isRange(operator) ? compares : `${compares} (${facts[operator].sign})`;
}

const bySymbol = new Map<string, string>(countOperators.map((operator) => [getSymbol(operator), operator]));

/** `>` is `gt`; anything that is not a symbol stays as it is. */
export const canonicalOperator = (text: string): string => bySymbol.get(text) ?? text;

/** Whether the operator compares order, which text and booleans do not have. */
export const isOrdering = (operator: Operator): boolean => operator !== "eq" && operator !== "neq";

/** Compares two plain numbers. */
export const compareNumbers: Record<CountOperator, (value: number, bound: number) => boolean> = {
  gt: (value, bound) => value > bound,
  gte: (value, bound) => value >= bound,
  lt: (value, bound) => value < bound,
  lte: (value, bound) => value <= bound,
  eq: (value, bound) => value === bound,
  neq: (value, bound) => value !== bound,
};

/** What a value is compared with. */
export type Comparand = number | string | boolean;

/** How a path with many values is evaluated: whether any or all of them hold, or one number computed from all. */
export const fieldModes = ["any", "all", "min", "max", "mean", "count"] as const;
export type FieldMode = (typeof fieldModes)[number];
