import { describeComposite } from "@/domain/conditions/composite";
import { isComposite, listLeaves, type Condition } from "@/domain/conditions/condition";
import { narrowToMet } from "@/domain/conditions/met";
import { durationPhrase } from "@/domain/conditions/phrases";
import { getKind } from "@/domain/conditions/registry";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";
import { capitalized } from "@/domain/conditions/sentences";

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

type Met = Pick<LeafEvidence, "topic" | "holds" | "value" | "unit">;

/** A sentence for alerts: what held at the trigger, with the values seen. */
export function describeHit(rule: { condition: Condition }, hit: { evidence: { leaves: readonly Met[] } }): string {
  const conditions = listLeaves(rule.condition);
  const parts = hit.evidence.leaves.flatMap((leaf, index) => {
    const condition = conditions[index];
    if (!leaf.holds || !condition) return [];
    return [getKind(condition).describeMet(condition, { ...leaf, value: narrowToMet(condition, leaf.value) })];
  });
  return capitalized(parts.join(" and "));
}
