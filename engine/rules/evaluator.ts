import type { LeafConditionOf, LeafType, ShownOf } from "@/domain/conditions/schema-registry";
import type { EpisodeTracker } from "@/engine/rules/episodes";
import type { RecordingFacts, TopicFacts } from "@/engine/rules/facts";
import type { Recorder } from "@/engine/rules/samples";
import type { Truth } from "@/engine/rules/truth";

interface Signal {
  /** `end` is the instant just after the recording's last. */
  finish(end: bigint): void;
  /** Remarks for the result; only after `finish`. */
  notes(): string[];
}

/** What a condition adds where its samples come as they are measured, in a stream that has no end. */
export interface Streamed {
  /** Goes on from what `save` returned, or begins at `since` where it is null. Throws a ZodError for anything else. */
  load(saved: unknown, since: bigint): void;
  /** Safe for JSON. */
  save(): unknown;
  /** Decides what follows from no sample having come up to and including `now`. */
  settle(now: bigint): void;
  /** The next instant for which `settle` decides something; `never` where there is none. */
  readonly nextAt: bigint;
  /** Whether it holds now; unknown also where it holds, but not yet for its window. */
  readonly truth: Truth;
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
  /** Limit of the samples that a condition retains, where the default of recordings is too large. */
  retained?: number;
  /** Creates a trace of values computed from the samples; evidence shows them instead of the field's values. */
  traceReadings(): Recorder;
}

/** How conditions of one type are evaluated. Adding a type: one file with its evaluator, one line in the registry. */
export interface LeafEvaluator<Type extends LeafType> {
  /** Whether it looks for silence, so that it also applies to a topic without messages. */
  readonly watchesSilence: boolean;
  /** Watches one topic: its samples where the condition reads a field, else its messages. */
  watch(
    condition: LeafConditionOf<Type>,
    context: WatchContext,
  ): { samples: SampleSignal & Streamed } | { messages: MessageSignal & Streamed };
  /** A value that a signal retained, as evidence shows it; undefined where none was seen. */
  show(retained: unknown): ShownOf<Type>;
}
