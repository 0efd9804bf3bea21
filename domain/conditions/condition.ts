import type { CompositeCondition as CompositeOf } from "@/domain/conditions/composite";
import type { ConditionDraft } from "@/domain/conditions/draft";
import type { LeafCondition } from "@/domain/conditions/schema-registry";

export const maxNesting = 5;
export const maxLeaves = 20;

export type CompositeCondition = CompositeOf<Condition>;
/** A rule's condition as its author sent it, with operators normalized to their names. */
export type Condition = LeafCondition | CompositeOf<Condition>;

/** A stored condition: it was validated when it was saved, by the schema of that time. */
export const toSaved = (stored: unknown): Condition => stored as Condition;

/** Whether a condition, or a draft of one, is a composite. */
export const isComposite = <Node extends { type: string }>(
  condition: Node,
): condition is Node & { type: "composite" } => condition.type === "composite";

/** Single conditions in the order they are written. */
export function listLeaves(condition: Condition): LeafCondition[];
export function listLeaves(condition: ConditionDraft): ConditionDraft[];
export function listLeaves(condition: ConditionDraft): ConditionDraft[] {
  return isComposite(condition) ? (condition.conditions ?? []).flatMap((part) => listLeaves(part)) : [condition];
}
