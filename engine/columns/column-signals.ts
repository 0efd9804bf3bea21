import type { LeafCondition, LeafConditionOf, LeafType } from "@/domain/conditions/schema-registry";
import { ColumnFrequency } from "@/engine/columns/column-frequency";
import { ColumnHeld } from "@/engine/columns/column-held";
import type { EpisodeTracker } from "@/engine/rules/episodes";
import type { SampleSignal } from "@/engine/rules/evaluator";
import { HeldSignal } from "@/engine/rules/held";
import type { SampleTrace } from "@/engine/rules/samples";

/** What a condition over columns is made for. */
interface ColumnWatch {
  tracker: EpisodeTracker;
  /** Of the field's samples; null where the condition only looks at the times of messages. */
  trace: SampleTrace | null;
  /** The evaluator over samples that it takes the place of. */
  samples: SampleSignal | null;
  /** First instant of the recording, nanoseconds. */
  start: bigint;
}

type Create<Type extends LeafType> = (
  condition: LeafConditionOf<Type>,
  watch: ColumnWatch,
) => ColumnHeld | ColumnFrequency | null;

/** How conditions of each type look at columns; null where one looks at samples or messages one by one. */
const creators: { [Type in LeafType]: Create<Type> | null } = {
  threshold: (condition, { tracker, trace, samples, start }) =>
    trace && samples instanceof HeldSignal ? ColumnHeld.create(condition, { tracker, trace, samples, start }) : null,
  rate: null,
  pattern: null,
  frequency: (condition, { tracker, start }) => ColumnFrequency.create(condition, tracker, start),
  absence: null,
};

/** The evaluator of a condition over columns of numbers, or over times; null where there is none. */
export const createColumnSignal = (
  condition: LeafCondition,
  watch: ColumnWatch,
): ColumnHeld | ColumnFrequency | null => {
  const create = creators[condition.type] as Create<LeafType> | null;
  return create?.(condition, watch) ?? null;
};
