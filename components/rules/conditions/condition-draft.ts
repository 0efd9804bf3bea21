import { isComposite } from "@/domain/conditions/condition";
import type { ConditionDraft } from "@/domain/conditions/draft";
import type { ConditionKind } from "@/domain/conditions/kind";
import type { Comparand } from "@/domain/conditions/operators";
import {
  conditionKinds,
  conditionTypes,
  isConditionType,
  isLeafType,
  leafKinds,
  type ConditionType,
} from "@/domain/conditions/registry";

/** A rule's condition while it is being written: the same JSON that is saved, possibly incomplete. */

const getRecord = (type: ConditionType): ConditionKind<ConditionDraft> => conditionKinds[type];

/**
 * The condition as another type: topic and field stay where the type has them; a single one becomes the first of a
 * combination.
 */
export function withType(condition: ConditionDraft, type: ConditionType): ConditionDraft {
  if (condition.type === type) return condition;
  const { initial } = getRecord(type);
  if (isComposite({ type })) return { ...initial, conditions: [{ ...condition, cooldown: undefined }] };
  if (isComposite(condition)) {
    const first = condition.conditions?.find((part) => part.type === type) ?? condition.conditions?.[0];
    return first ? withType(first, type) : initial;
  }
  const { topic, field, keep_for, cooldown } = condition;
  return {
    ...initial,
    topic,
    ...("field" in initial && { field: field ?? "" }),
    ...(keep_for !== undefined && { keep_for }),
    ...(cooldown !== undefined && { cooldown }),
  };
}

/** A condition to add to a combination. */
export function freshCondition(type: ConditionType): ConditionDraft {
  const { initial } = getRecord(type);
  return isComposite({ type }) ? { ...initial, conditions: [getRecord(conditionTypes[0]).initial] } : { ...initial };
}

/** Whether a value is a draft of a condition: an object of a known type. */
export const isConditionDraft = (value: unknown): value is ConditionDraft =>
  typeof value === "object" && value !== null && "type" in value && isConditionType(value.type);

/** Whether the condition is complete enough to be previewed; the server validates the rest. */
export const isComplete = (condition: ConditionDraft): boolean =>
  isConditionDraft(condition) &&
  getRecord(condition.type).isComplete(condition) &&
  (!isComposite(condition) || (condition.conditions ?? []).every(isComplete));

/** Without members that are undefined or empty text, as it is sent. */
export function tidy(condition: ConditionDraft): ConditionDraft {
  const entries = Object.entries(condition).filter(
    ([key, value]) => value !== undefined && (value !== "" || key === "value"),
  );
  const result = { ...Object.fromEntries(entries), type: condition.type } as ConditionDraft;
  if (result.conditions) result.conditions = result.conditions.map(tidy);
  return result;
}

/** Whether its comparison lasts over time, so that it has a window, something to recover by, and hits with peaks. */
export const comparesOverTime = ({ type }: ConditionDraft): boolean =>
  isLeafType(type) && leafKinds[type].comparesOverTime;

/** Whether a plot of its field can show the value it compares with. */
export const isDrawnOnField = ({ type }: ConditionDraft): boolean =>
  isLeafType(type) && leafKinds[type].comparesOverTime && leafKinds[type].valueOnFieldScale;

/** Parses typed text: a number where it is one exactly, true and false, else text. */
export function parseScalar(text: string): Comparand {
  const trimmed = text.trim();
  if (trimmed === "true" || trimmed === "false") return trimmed === "true";
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) return text;
  const number = Number(trimmed);
  // Beyond 2^53 digits would be lost; as text they are compared exactly.
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : trimmed;
}
