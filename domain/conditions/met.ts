import type { JsonValue } from "@/domain/conditions/evidence";
import { compilePattern } from "@/domain/conditions/expressions";
import { compareNumbers, isCountOperator } from "@/domain/conditions/operators";
import type { LeafCondition, LeafConditionOf, LeafType } from "@/domain/conditions/schema-registry";

interface ElementTest<Condition> {
  /** Returns whether one element of a list of values meets the condition. */
  build(condition: Condition): (element: JsonValue) => boolean;
}

/** Separate from the records of the types, so that pages load no regular expressions. */
const tests: { [Type in LeafType]?: ElementTest<LeafConditionOf<Type>> } = {
  threshold: {
    build: ({ operator, value }) =>
      isCountOperator(operator) && typeof value === "number"
        ? (element) => compareNumbers[operator](Number(element), value)
        : () => true,
  },
  pattern: {
    build: ({ regex }) => {
      const pattern = compilePattern(regex);
      return (element) => pattern.test(String(element));
    },
  },
};

const getTest = ({ type }: LeafCondition): ElementTest<LeafCondition> | undefined => tests[type];

/** The values of a list that met the condition; all of them where that cannot be decided. */
export function narrowToMet(condition: LeafCondition, value: JsonValue): JsonValue {
  if (!Array.isArray(value)) return value;
  const met = value.filter(getTest(condition)?.build(condition) ?? (() => true));
  return met.length === 0 ? value : met;
}
