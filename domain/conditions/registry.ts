import { absence } from "@/domain/conditions/absence";
import { composite } from "@/domain/conditions/composite";
import { frequency } from "@/domain/conditions/frequency";
import type { LeafKind } from "@/domain/conditions/kind";
import { pattern } from "@/domain/conditions/pattern";
import { rate } from "@/domain/conditions/rate";
import type {
  LeafCondition,
  LeafConditionOf,
  LeafEvidence,
  LeafEvidenceOf,
  LeafType,
} from "@/domain/conditions/schema-registry";
import { threshold } from "@/domain/conditions/threshold";

/** The conditions on one topic, by type. */
export const leafKinds: { [Type in LeafType]: LeafKind<LeafConditionOf<Type>, LeafEvidenceOf<Type>> } = {
  threshold,
  rate,
  pattern,
  frequency,
  absence,
};

/** Every type of condition, in the order in which people are offered them. */
export const conditionKinds = { ...leafKinds, composite };
export type ConditionType = keyof typeof conditionKinds;
export const conditionTypes = Object.keys(conditionKinds) as [ConditionType, ...ConditionType[]];

export const isConditionType = (type: unknown): type is ConditionType =>
  typeof type === "string" && Object.hasOwn(conditionKinds, type);
export const isLeafType = (type: unknown): type is LeafType =>
  typeof type === "string" && Object.hasOwn(leafKinds, type);

/** The record of a condition's type. */
export const getKind = (condition: { type: LeafType }): LeafKind<LeafCondition, LeafEvidence> =>
  leafKinds[condition.type];
