import { z } from "zod";
import { isGlob, maxPatternLength } from "@/domain/conditions/expressions";
import { toBound, compareBounds } from "@/domain/conditions/number";
import {
  canonicalOperator,
  countOperators,
  fieldModes,
  getSymbol,
  isOrdering,
  isRange,
  operators,
  type Operator,
} from "@/domain/conditions/operators";
import { parsePath, PathError } from "@/domain/conditions/path";
import { heartbeatTopic } from "@/domain/conditions/topics";
import { atMost, blank, expects, expectsChoice } from "@/domain/field-messages";
import { metricName } from "@/domain/health/limits";
import { publishedAs } from "@/domain/published";
import { durationSchema } from "@/domain/time/fields";

/** The members that conditions are made of, and the checks that several types share. */

const maxTopicLength = 4096;
const maxFieldLength = 1024;
const maxTextLength = 4096;

const text = (max: number) =>
  z
    .string({ error: expects("Not a valid string.") })
    .refine((value) => value.trim() !== "", { error: blank })
    .max(max, { error: atMost(max) });

export const topicSchema = text(maxTopicLength).refine((topic) => !isGlob(topic) || topic.length <= maxPatternLength, {
  error: atMost(maxPatternLength),
});
export const fieldSchema = text(maxFieldLength);
export const fieldModeSchema = z.enum(fieldModes, { error: expectsChoice }).optional();

const operatorText = () => z.string({ error: expects("Not a valid string.") }).overwrite(canonicalOperator);

const symbols = countOperators.map(getSymbol);

/** Accepts names and symbols; the output is the name. */
export const operatorSchema = publishedAs(
  operatorText().pipe(z.enum(operators, { error: expectsChoice })),
  z.enum([...operators, ...symbols]),
);
export const countOperatorSchema = publishedAs(
  operatorText().pipe(z.enum(countOperators, { error: expectsChoice })),
  z.enum([...countOperators, ...symbols]),
);

const scalar = z.union([z.number(), z.string()], { error: expects("A valid number is required.") });
export const valueSchema = z
  .union([z.number(), z.string().max(maxTextLength), z.boolean(), z.array(scalar)], {
    error: expects("Enter a number, a text, true or false, or two numbers for a range."),
  })
  .describe("A number, a text, true or false; `[low, high]` for `between` and `outside`.");

export const requiredDuration = durationSchema;
export const optionalDuration = durationSchema.optional();

/** What every condition may carry besides its own members. */
export const sharedMembers = {
  /** The clock of the condition; only the recorder's own for now. */
  timestamp_source: z.enum(["log_time"], { error: expectsChoice }).optional(),
  /** How long an episode can be resumed after it ended; if it starts again meanwhile, it is the same episode. */
  keep_for: optionalDuration,
  /** How long after a trigger further ones are suppressed, though counted. Only on the outermost condition. */
  cooldown: optionalDuration,
};

/** A comparison, how long it has to hold, and what ends it. */
export const heldMembers = {
  operator: operatorSchema,
  value: valueSchema,
  /** How long every sample has to hold. */
  window: optionalDuration,
  /** An episode ends only where this holds, not at the first sample that fails the condition. */
  recover: z
    .object(
      { operator: operatorSchema, value: valueSchema },
      { error: expects("Expected an object with operator and value.") },
    )
    .optional(),
};

const notAMetric = "Name one metric: up to 64 letters, digits, dots, hyphens and underscores.";

export type Issues = z.core.$RefinementCtx;
export const report = (issues: Issues, path: (string | number)[], message: string) =>
  issues.addIssue({ code: "custom", path, message, input: undefined });

function checkNumber(value: unknown, path: (string | number)[], issues: Issues): boolean {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    report(issues, path, 'Integers beyond 2^53 lose digits in JSON; send a decimal string such as "9007199254740993".');
    return false;
  }
  return true;
}

/** Reports a value that its operator cannot compare with. */
export function checkComparison(compared: { operator: Operator; value: unknown }, at: string[], issues: Issues): void {
  const { operator, value } = compared;
  const path = [...at, "value"];
  if (isRange(operator)) {
    if (!Array.isArray(value) || value.length !== 2) {
      return report(issues, path, `"${operator}" needs two numbers: [low, high].`);
    }
    const [low, high] = value.map((end: unknown, index) => {
      const bound = typeof end === "string" || typeof end === "number" ? toBound(end) : null;
      if (!bound) report(issues, [...path, index], "A valid number is required.");
      return bound && checkNumber(end, [...path, index], issues) ? bound : null;
    });
    if (low && high && compareBounds(low, high) > 0) report(issues, path, "The low end is above the high end.");
    return;
  }
  if (Array.isArray(value)) return report(issues, path, `"${operator}" needs one value.`);
  if (!checkNumber(value, path, issues) || !isOrdering(operator)) return;
  if (typeof value === "boolean" || !toBound(value as string | number))
    report(issues, path, "A valid number is required.");
}

export function checkField(leaf: { topic: string; field: string }, issues: Issues): void {
  if (leaf.topic === heartbeatTopic) {
    if (!metricName.test(leaf.field)) report(issues, ["field"], notAMetric);
    return;
  }
  try {
    parsePath(leaf.field, leaf.topic);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    report(issues, ["field"], error.message);
  }
}
