import type { Criterion, JsonValue, LeafEvidenceMembers } from "@/domain/conditions/evidence";
import type { FieldMode } from "@/domain/conditions/operators";

/** A value in the making: no member is certain to be there, and no text to be one of those it may be. */
type Loose<Value> = Value extends string
  ? string
  : Value extends number
    ? number
    : Value extends boolean
      ? boolean
      : Value extends readonly (infer Item)[]
        ? Loose<Item>[]
        : Value extends object
          ? { [Member in keyof Value]?: Loose<Value[Member]> }
          : Value;

/** A condition in the making: its type, and members that may not be there yet. */
export type DraftOf<Condition extends { type: string }> = { type: Condition["type"] } & {
  [Member in Exclude<keyof Condition, "type">]?: Loose<Condition[Member]>;
};

/** What every type of condition says of itself, combinations included. */
export interface ConditionKind<Draft> {
  /** On its card and in menus. */
  label: string;
  example: string;
  /** What a form begins with; its members are those the type has. */
  initial: Draft;
  /** Whether a draft has all that it needs to be tried; the server says what is wrong with what it has. */
  isComplete(draft: Draft): boolean;
}

/** The field whose values a condition reads. */
export interface FieldRead {
  field: string;
  mode: FieldMode;
  /** Whether values keep their places in lists where others are missing, so that elements can be told apart. */
  keepsPlaces: boolean;
}

/** A field as the newest recording of a topic shows it. */
export interface SeenField {
  topic: string;
  kinds: ReadonlySet<string>;
}

/**
 * What one type of condition on a topic says of itself. Its schema stands in a file of its own, so that browsers load
 * no validation; its evaluation is in engine/rules, its form in components/rules/conditions.
 */
export interface LeafKind<
  Condition extends { type: string },
  Evidence extends LeafEvidenceMembers = LeafEvidenceMembers,
> extends ConditionKind<DraftOf<Condition>> {
  /** Compares one number over time: has `operator`, `value`, `window`, `recover`, and hits with peaks like `value`. */
  comparesOverTime: boolean;
  /** `value` is on the scale of the field itself, so that a plot of the field can draw it. */
  valueOnFieldScale: boolean;
  /** Null where the times of messages are enough. */
  reads(condition: Condition): FieldRead | null;
  /** What is asked, without its topic: `data.value > 80 for 10s`. */
  describe(condition: Condition): string;
  /** As it was met, for whoever is alerted: `data.value 85.2 > 80 for 10s on /motor/temp`. */
  describeMet(condition: Condition, seen: { topic: string; value: JsonValue }): string;
  /** What its author should know of a field that is in the recordings; never a reason to refuse. */
  warnings(condition: Condition, field: SeenField): string[];
  criterion(condition: Condition): Criterion;
  /** What was asked in words, told from evidence: `> 80 for 10s`. */
  describeEvidence(evidence: Evidence): string;
  /** Of the value in evidence. */
  unit: string;
  /** Where the value in evidence came from, in words; null where it is a value of the field. */
  describeOrigin(evidence: Evidence): string | null;
}

export const filled = (text: string | undefined): boolean => text !== undefined && text.trim() !== "";
