import type { LeafConditionOf, LeafType, ShownOf } from "@/domain/conditions/schema-registry";
import type { EpisodeTracker } from "@/engine/rules/episodes";
import type { RecordingFacts, TopicFacts } from "@/engine/rules/facts";
import type { SampleTrace } from "@/engine/rules/samples";

interface Signal {
  /** `end` is the instant just after the recording's last. */
  finish(end: bigint): void;
  /** Remarks for the result; only after `finish`. */
  notes(): string[];
}

/**
 * One condition on the samples of one field of one topic. Samples come in order of time, and are never missing values.
 */
export interface SampleSignal extends Signal {
  /** Number of samples of a kind that the condition cannot compare, such as text for `gt`. */
  readonly incomparable: number;
  sample(time: bigint, value: unknown): void;
  /** The topic was silent beyond its gap limit: values are known only up to `at`. */
  gap(at: bigint): void;
}

/** One condition on the times of a topic's messages, which come in order. */
export interface MessageSignal extends Signal {
  message(time: bigint): void;
}

interface WatchContext {
  topic: TopicFacts;
  recording: RecordingFacts;
  /** Nanoseconds that a value holds without another; null when nothing is known about the topic's pace. */
  gapLimit: bigint | null;
  tracker: EpisodeTracker;
  /** Creates a trace of values computed from the samples; evidence shows them instead of the field's values. */
  traceReadings(): SampleTrace;
}

/** How conditions of one type are evaluated. Adding a type: one file with its evaluator, one line in the registry. */
export interface LeafEvaluator<Type extends LeafType> {
  /** Whether it looks for silence, so that it also applies to a topic without messages. */
  readonly watchesSilence: boolean;
  /** Watches one topic: its samples where the condition reads a field, else its messages. */
  watch(
    condition: LeafConditionOf<Type>,
    context: WatchContext,
  ): { samples: SampleSignal } | { messages: MessageSignal };
  /** A value that a signal retained, as evidence shows it; undefined where none was seen. */
  show(retained: unknown): ShownOf<Type>;
}
