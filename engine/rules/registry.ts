import type { LeafCondition, LeafType } from "@/domain/conditions/schema-registry";
import { absence } from "@/engine/rules/absence";
import type { LeafEvaluator } from "@/engine/rules/evaluator";
import { frequency } from "@/engine/rules/frequency";
import { pattern } from "@/engine/rules/pattern";
import { rate } from "@/engine/rules/rate";
import { threshold } from "@/engine/rules/threshold";

/** How each type of condition is evaluated. */
const evaluators: { [Type in LeafType]: LeafEvaluator<Type> } = {
  threshold,
  rate,
  pattern,
  frequency,
  absence,
};

export const getEvaluator = (condition: Pick<LeafCondition, "type">): LeafEvaluator<LeafType> =>
  evaluators[condition.type];
