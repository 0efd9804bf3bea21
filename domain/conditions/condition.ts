import { z } from "zod";
import { boundOf, compareBounds } from "@/domain/conditions/number";
import {
  countOperatorSchema,
  fieldModes,
  isOrdering,
  isRange,
  operatorSchema,
  type Operator,
} from "@/domain/conditions/operators";
import { parsePath, PathError } from "@/domain/conditions/path";
import { compilePattern, isGlob, maxPatternLength, PatternError } from "@/domain/conditions/pattern";
import { atMost, blank, expects, expectsChoice } from "@/domain/field-messages";
import { durationSchema } from "@/domain/time/fields";

export const conditionTypes = ["threshold", "pattern", "frequency", "absence", "composite"] as const;
export const maxNesting = 5;
export const maxLeaves = 20;

const maxTopicLength = 4096;
const maxFieldLength = 1024;
const maxTextLength = 4096;

const text = (max: number) =>
  z
    .string({ error: expects("Not a valid string.") })
    .refine((value) => value.trim() !== "", { error: blank })
    .max(max, { error: atMost(max) });

const topicSchema = text(maxTopicLength).refine((topic) => !isGlob(topic) || topic.length <= maxPatternLength, {
  error: atMost(maxPatternLength),
});
const fieldSchema = text(maxFieldLength);
const fieldMode = z.enum(fieldModes, { error: expectsChoice }).optional();
const scalar = z.union([z.number(), z.string()], { error: expects("A valid number is required.") });
const valueSchema = z.union([z.number(), z.string().max(maxTextLength), z.boolean(), z.array(scalar)], {
  error: expects("Enter a number, a text, true or false, or two numbers for a range."),
});

const duration = durationSchema.optional();

/** What every condition may carry besides its own fields. */
const common = {
  /** The clock of the condition; only the recorder's own for now. */
  timestamp_source: z.enum(["log_time"], { error: expectsChoice }).optional(),
  /** An episode that ended goes on for so long, so that one that starts again meanwhile is the same. */
  keep_for: duration,
  /** For so long after a trigger others are counted but suppressed. Only of the whole rule. */
  cooldown: duration,
};

type Issues = z.core.$RefinementCtx;
const report = (issues: Issues, path: (string | number)[], message: string) =>
  issues.addIssue({ code: "custom", path, message, input: undefined });

function checkNumber(value: unknown, path: (string | number)[], issues: Issues): boolean {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    report(issues, path, 'Integers beyond 2^53 lose digits in JSON; send a decimal string such as "9007199254740993".');
    return false;
  }
  return true;
}

/** The value has to be what its operator compares with. */
function checkComparison(compared: { operator: Operator; value: unknown }, at: string[], issues: Issues): void {
  const { operator, value } = compared;
  const path = [...at, "value"];
  if (isRange(operator)) {
    if (!Array.isArray(value) || value.length !== 2) {
      return report(issues, path, `"${operator}" needs two numbers: [low, high].`);
    }
    const [low, high] = value.map((end: unknown, index) => {
      const bound = typeof end === "string" || typeof end === "number" ? boundOf(end) : null;
      if (!bound) report(issues, [...path, index], "A valid number is required.");
      return bound && checkNumber(end, [...path, index], issues) ? bound : null;
    });
    if (low && high && compareBounds(low, high) > 0) report(issues, path, "The low end is above the high end.");
    return;
  }
  if (Array.isArray(value)) return report(issues, path, `"${operator}" needs one value.`);
  if (!checkNumber(value, path, issues) || !isOrdering(operator)) return;
  if (typeof value === "boolean" || !boundOf(value as string | number))
    report(issues, path, "A valid number is required.");
}

function checkField(leaf: { topic: string; field: string }, issues: Issues): void {
  try {
    parsePath(leaf.field, leaf.topic);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    report(issues, ["field"], error.message);
  }
}

const recoverSchema = z.object(
  { operator: operatorSchema, value: valueSchema },
  { error: expects("Expected an object with operator and value.") },
);

const thresholdSchema = z
  .object({
    type: z.literal("threshold"),
    topic: topicSchema,
    field: fieldSchema,
    field_mode: fieldMode,
    operator: operatorSchema,
    value: valueSchema,
    /** Every sample of this long has to hold. */
    window: duration,
    /** An episode ends only where this holds, not at the first sample that fails the condition. */
    recover: recoverSchema.optional(),
    ...common,
  })
  .superRefine((condition, issues) => {
    checkField(condition, issues);
    checkComparison(condition, [], issues);
    if (condition.recover) checkComparison(condition.recover, ["recover"], issues);
  });

const patternSchema = z
  .object({
    type: z.literal("pattern"),
    topic: topicSchema,
    field: fieldSchema,
    field_mode: fieldMode,
    regex: z.string({ error: expects("Not a valid string.") }).superRefine((regex, issues) => {
      try {
        compilePattern(regex);
      } catch (error) {
        if (!(error instanceof PatternError)) throw error;
        report(issues, [], error.message);
      }
    }),
    ...common,
  })
  .superRefine(checkField);

const frequencySchema = z
  .object({
    type: z.literal("frequency"),
    topic: topicSchema,
    count_operator: countOperatorSchema,
    count: z
      .int({ error: expects("A valid integer is required.") })
      .min(0, { error: "Ensure this value is greater than or equal to 0." }),
    window: durationSchema,
    /** With these three only messages that meet them are counted. */
    field: fieldSchema.optional(),
    field_mode: fieldMode,
    operator: operatorSchema.optional(),
    value: valueSchema.optional(),
    ...common,
  })
  .superRefine((condition, issues) => {
    const { topic, field, operator, value } = condition;
    if (field !== undefined) checkField({ topic, field }, issues);
    if (operator !== undefined && value !== undefined) checkComparison({ operator, value }, [], issues);
    if (field === undefined && operator === undefined && value === undefined) return;
    for (const name of ["field", "operator", "value"] as const) {
      if (condition[name] === undefined) report(issues, [name], "This field is required.");
    }
  });

const absenceSchema = z.object({ type: z.literal("absence"), topic: topicSchema, timeout: durationSchema, ...common });

export type ThresholdCondition = z.infer<typeof thresholdSchema>;
export type PatternCondition = z.infer<typeof patternSchema>;
export type FrequencyCondition = z.infer<typeof frequencySchema>;
export type AbsenceCondition = z.infer<typeof absenceSchema>;
export type LeafCondition = ThresholdCondition | PatternCondition | FrequencyCondition | AbsenceCondition;
export interface CompositeCondition {
  type: "composite";
  operator: "and" | "or";
  conditions: Condition[];
  /** Every child's episodes go on for so long, so that two momentary facts can coincide. */
  hold?: string | undefined;
  timestamp_source?: "log_time" | undefined;
  keep_for?: string | undefined;
  cooldown?: string | undefined;
}
/** What a rule waits for, as its author sent it; only operators are brought to their names. */
export type Condition = LeafCondition | CompositeCondition;

const compositeSchema = z.object({
  type: z.literal("composite"),
  operator: z.enum(["and", "or"], { error: expectsChoice }),
  get conditions(): z.ZodArray<z.ZodType<Condition>> {
    return z
      .array(nodeSchema, { error: expects("Expected a list of conditions.") })
      .min(1, { error: "This list may not be empty." });
  },
  hold: duration,
  ...common,
});

const nodeSchema: z.ZodType<Condition> = z.lazy(() =>
  z.discriminatedUnion("type", [thresholdSchema, patternSchema, frequencySchema, absenceSchema, compositeSchema], {
    error: (issue) => {
      const input = issue.input;
      if (typeof input !== "object" || input === null || Array.isArray(input))
        return expects("Expected an object.")({ input });
      return expectsChoice({ input: (input as Record<string, unknown>).type });
    },
  }),
);

/** Children as they came, whatever they are: this runs before anything has been checked. */
function childrenOf(raw: unknown): unknown[] {
  if (typeof raw !== "object" || raw === null) return [];
  const { type, conditions } = raw as Record<string, unknown>;
  return type === "composite" && Array.isArray(conditions) ? conditions : [];
}

// Walks without recursion, since the nesting that it has to refuse would exhaust the stack of whatever recurses.
function checkSize(raw: unknown, issues: Issues): void {
  let level: { raw: unknown; path: (string | number)[] }[] = [{ raw, path: [] }];
  let leaves = 0;
  for (let depth = 0; level.length > 0; depth++) {
    const below: typeof level = [];
    for (const node of level) {
      if (typeof node.raw !== "object" || node.raw === null) continue;
      const { type, cooldown } = node.raw as Record<string, unknown>;
      if (depth > 0 && cooldown !== undefined) {
        report(
          issues,
          [...node.path, "cooldown"],
          "A cooldown belongs to the whole rule: set it on the outermost condition.",
        );
      }
      if (type !== "composite") leaves++;
      else if (depth === maxNesting) return report(issues, [], `Conditions can be nested at most ${maxNesting} deep.`);
      childrenOf(node.raw).forEach((child, index) =>
        below.push({ raw: child, path: [...node.path, "conditions", index] }),
      );
    }
    // Whatever lies below holds at least one leaf each.
    if (leaves + below.length > maxLeaves) {
      return report(issues, [], `A rule can combine at most ${maxLeaves} conditions.`);
    }
    level = below;
  }
}

/** A rule's condition. Issues carry paths below the condition, such as `conditions.1.topic`. */
export const conditionSchema = z.unknown().superRefine(checkSize).pipe(nodeSchema);

/** Throws a ZodError when the JSON is no condition. */
export const parseCondition = (json: unknown): Condition => conditionSchema.parse(json);
