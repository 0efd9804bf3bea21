import { describeComposite } from "@/domain/conditions/composite";
import { isComposite, listLeaves, type Condition } from "@/domain/conditions/condition";
import { durationPhrase } from "@/domain/conditions/phrases";
import { getKind } from "@/domain/conditions/registry";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";

function describe(condition: Condition, nested: boolean): string {
  if (!isComposite(condition)) {
    return `${condition.topic} ${getKind(condition).describe(condition)}${durationPhrase("kept for", condition.keep_for)}`;
  }
  const parts = condition.conditions.map((part) => describe(part, condition.conditions.length > 1));
  return describeComposite(condition, parts, nested);
}

/** A condition as text, such as `/motor/temp data.value > 80 for 10s`. */
export function describeCondition(condition: Condition): string {
  const cooldown = condition.cooldown === undefined ? "" : `, at most once in ${condition.cooldown}`;
  return describe(condition, false) + cooldown;
}

/** One line for alerts: what held at the trigger, with the values seen. */
export function describeHit(
  rule: { condition: Condition },
  hit: { evidence: { leaves: readonly Pick<LeafEvidence, "topic" | "holds" | "value">[] } },
): string {
  const conditions = listLeaves(rule.condition);
  return hit.evidence.leaves
    .flatMap((leaf, index) => {
      const condition = conditions[index];
      return leaf.holds && condition ? [getKind(condition).describeMet(condition, leaf)] : [];
    })
    .join(" and ");
}
