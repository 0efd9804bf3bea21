import type { Criterion, LeafEvidenceMembers } from "@/domain/conditions/evidence";
import type { MetricMeaning } from "@/domain/conditions/metric";
import type { FieldMode } from "@/domain/conditions/operators";
import type { Seen } from "@/domain/conditions/sentences";

/** A value being edited: members are optional, and any text may be in place of an enumerated value. */
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

/** A condition being edited: its type, all other members optional. */
export type DraftOf<Condition extends { type: string }> = { type: Condition["type"] } & {
  [Member in Exclude<keyof Condition, "type">]?: Loose<Condition[Member]>;
};

/** What the record of every type of condition has, composites included. */
export interface ConditionKind<Draft> {
  /** Shown on its card and in menus. */
  label: string;
  example: string;
  /** Initial values of a form; its members are those of the type. */
  initial: Draft;
  /** Whether a draft has all required members; the server validates their values. */
  isComplete(draft: Draft): boolean;
}

/** The field whose values a condition reads. */
export interface FieldRead {
  field: string;
  mode: FieldMode;
  /** Whether list elements keep their positions when others are missing, so that each can be tracked. */
  keepsPlaces: boolean;
}

/** A field as the newest recording of a topic shows it. */
export interface SeenField {
  topic: string;
  kinds: ReadonlySet<string>;
}

/** The words of a condition on heartbeats; `metric` is what it reads, null where it counts heartbeats or awaits them. */
interface HeartbeatWords<Condition> {
  /** `Battery below 20 % for 5 min` */
  describe(condition: Condition, metric: MetricMeaning | null): string;
  /** What was seen, for alerts: `Battery 13 % (below 20 % for 5 min)`. */
  describeMet(condition: Condition, seen: Seen, metric: MetricMeaning | null): string;
}

/**
 * The record of one type of condition on a topic. Its schema is in a separate file, so that browsers load no
 * validation; its evaluation is in engine/rules, its form in components/rules/conditions.
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
  /** The condition without its topic: `data.value > 80 for 10s`. */
  describe(condition: Condition): string;
  /** What was seen, for alerts: `motor temperature 85.2 °C (limit 80 °C for 10 s)`. */
  describeMet(condition: Condition, seen: Seen): string;
  /** The same of heartbeats, by what their metrics mean. */
  onHeartbeats: HeartbeatWords<Condition>;
  /** Warnings for the author about a field of the recordings; never a reason to refuse. */
  warnings(condition: Condition, field: SeenField): string[];
  criterion(condition: Condition): Criterion;
  /** The criterion that evidence holds: `> 80 for 10s`. */
  describeEvidence(evidence: Evidence): string;
  /** Unit of the value in evidence. */
  unit: string;
  /** How the value in evidence was obtained; null where it is a value of the field. */
  describeOrigin(evidence: Evidence): string | null;
}

export const filled = (text: string | undefined): boolean => text !== undefined && text.trim() !== "";
