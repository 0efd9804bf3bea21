import { z } from "zod";
import { expects, expectsChoice } from "@/domain/field-messages";

export const operators = ["gt", "gte", "lt", "lte", "eq", "neq", "between", "outside"] as const;
export type Operator = (typeof operators)[number];

/** A count is compared with one integer, so ranges are left out. */
export const countOperators = ["gt", "gte", "lt", "lte", "eq", "neq"] as const;
export type CountOperator = (typeof countOperators)[number];

export const symbolOf = { gt: ">", gte: ">=", lt: "<", lte: "<=", eq: "==", neq: "!=" } as const satisfies Record<
  CountOperator,
  string
>;
const bySymbol = new Map<string, string>(Object.entries(symbolOf).map(([name, symbol]) => [symbol, name]));

/** `>` is `gt`; anything that is not a symbol stays as it is. */
export const canonicalOperator = (text: string): string => bySymbol.get(text) ?? text;

/** Whether the operator asks which of two numbers is the greater, so that text and booleans have no answer. */
export const isOrdering = (operator: Operator): boolean => operator !== "eq" && operator !== "neq";
export const isRange = (operator: Operator): boolean => operator === "between" || operator === "outside";

const operatorText = () => z.string({ error: expects("Not a valid string.") }).overwrite(canonicalOperator);

/** Accepts names and symbols, answers names. */
export const operatorSchema = operatorText().pipe(z.enum(operators, { error: expectsChoice }));
export const countOperatorSchema = operatorText().pipe(z.enum(countOperators, { error: expectsChoice }));

/** What a value is compared with. */
export type Comparand = number | string | boolean;

/** How a path that leads to many values is read: whether any or all of them hold, or one number of them all. */
export const fieldModes = ["any", "all", "min", "max", "mean", "count"] as const;
export type FieldMode = (typeof fieldModes)[number];
