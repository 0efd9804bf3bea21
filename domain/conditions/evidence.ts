import type { LeafCondition } from "@/domain/conditions/condition";

/** A value as evidence shows it; JSON has no NaN, no infinities and no integers beyond 2^53, so these are texts. */
export type JsonValue = null | boolean | number | string | JsonValue[];

/** One leaf of a rule at the instant of a trigger. Times are decimal strings of nanoseconds. */
export interface LeafEvidence {
  /** Position in the rule's condition: empty, or `conditions.0.conditions.1`. */
  path: string;
  type: LeafCondition["type"];
  topic: string;
  field: string | null;
  holds: boolean;
  /** The last value known at the trigger: of the field, a count of messages, or seconds of silence. */
  value: JsonValue;
  value_at: string | null;
  operator: string | null;
  threshold: JsonValue;
  window: string | null;
  /** `[time, value]` of samples around the trigger, oldest first. */
  samples: [string, JsonValue][];
}

/** Why a rule fired; safe to store as JSON. */
export interface Evidence {
  rule_version: number;
  /** The topic whose message or silence made the rule fire. */
  topic: string;
  window: string | null;
  leaves: LeafEvidence[];
  /** Triggers that the cooldown swallowed after this one. */
  suppressed: number;
  /** The rule fired so often that it was stopped here. */
  storm: boolean;
}
