import { z } from "zod";
import type { JsonValue } from "@/domain/conditions/evidence";
import { getKind } from "@/domain/conditions/registry";
import type { LeafCondition, LeafEvidence } from "@/domain/conditions/schema-registry";
import { durationOrZero } from "@/domain/time/duration";
import { EpisodeTracker, never, savedShown, type Episode } from "@/engine/rules/episodes";
import type { MessageSignal, Streamed } from "@/engine/rules/evaluator";
import { showLeaf, type Reading } from "@/engine/rules/evidence";
import type { TopicFacts } from "@/engine/rules/facts";
import { compileMetric } from "@/engine/rules/field";
import { getEvaluator } from "@/engine/rules/registry";
import { jsonValue, type Recorder } from "@/engine/rules/samples";
import { savedTime, savedTimes, savedValue } from "@/engine/rules/saved";
import { FieldStream } from "@/engine/rules/stream";
import type { Truth } from "@/engine/rules/truth";

/** How long a value holds without another one, in nanoseconds. */
const streamGapLimit = 150_000_000_000n;

const savedLeaf = z.object({
  /** Until when the last value of the field holds; null where none does. */
  holdsUntil: savedTime.nullable(),
  samples: z
    .object({ times: savedTimes, values: z.array(savedValue) })
    .refine(({ times, values }) => times.length === values.length),
  reading: z.object({ time: savedTime, seen: savedShown }).nullable(),
  tracker: z.unknown(),
  signal: z.unknown(),
});
export type SavedLeaf = z.input<typeof savedLeaf>;

/** The latest samples, as evidence shows them. */
class LatestSamples implements Recorder {
  samples: { time: bigint; value: JsonValue }[] = [];

  constructor(
    private readonly limit: number,
    private readonly next: Recorder,
  ) {}

  record(time: bigint, value: unknown): void {
    this.samples.push({ time, value: jsonValue(value) });
    if (this.samples.length > this.limit) this.samples.shift();
    this.next.record(time, value);
  }
}

const earliest = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** One condition on a stream's topic. */
export class LeafStream {
  private readonly tracker: EpisodeTracker;
  private readonly signal: Streamed;
  private readonly clock: MessageSignal | null = null;
  private readonly field: FieldStream<LatestSamples> | null = null;
  /** The last value known, as evidence shows it. */
  private reading: Reading | null = null;
  private running: Episode | null = null;

  /** `path` is its position in the rule; `samples` and `retained` limit what evidence and the condition retain. */
  constructor(
    readonly condition: LeafCondition,
    readonly path: string,
    limits: { samples: number; retained: number },
  ) {
    const { topic } = condition;
    const evaluator = getEvaluator(condition);
    const show = (retained: unknown) => evaluator.show(retained);
    const readings: Recorder = { record: (time, value) => (this.reading = { time, seen: show(value) }) };
    const options = { topic, keepFor: durationOrZero(condition.keep_for), cooldown: 0n, limit: 0, samples: null };
    this.tracker = new EpisodeTracker({ ...options, show, streamed: true });
    let ownReadings = false;
    const facts: TopicFacts = { topic, messageCount: 0, medianPeriodNs: null };
    const watch = evaluator.watch(condition, {
      topic: facts,
      recording: { startTime: 0n, endTime: never, truncated: false, topics: [facts] },
      gapLimit: streamGapLimit,
      tracker: this.tracker,
      retained: limits.retained,
      traceReadings() {
        ownReadings = true;
        return readings;
      },
    });
    if ("messages" in watch) {
      this.signal = this.clock = watch.messages;
      return;
    }
    this.signal = watch.samples;
    const read = getKind(condition).reads(condition);
    if (!read) throw new TypeError(`${condition.type} looks at samples of no field.`);
    const samples = new LatestSamples(limits.samples, ownReadings ? { record() {} } : readings);
    this.field = new FieldStream(compileMetric(read.field, read.mode), samples);
    this.field.signals.push(watch.samples);
  }

  /** What holds now. */
  get span(): Episode | null {
    return this.tracker.running;
  }

  get truth(): Truth {
    return this.signal.truth;
  }

  /** Whether any heartbeat has had what it looks at. The latest samples say so, which a state has kept since it was first saved. */
  get hasCome(): boolean {
    return this.field === null || this.field.trace.samples.length > 0;
  }

  get nextAt(): bigint {
    return earliest(earliest(this.signal.nextAt, this.tracker.nextAt), this.field?.nextAt ?? never);
  }

  /** One heartbeat, once all that silence decided before it is settled. */
  sample(time: bigint, metrics: unknown): void {
    this.clock?.message(time);
    this.field?.message(time, metrics, time + streamGapLimit);
  }

  /** Decides what follows from no more samples up to and including `now`; to be called after each sample, too. */
  settle(now: bigint): void {
    this.field?.settle(now);
    this.signal.settle(now);
    this.tracker.settle(now);
    const ended = this.running?.endedBy;
    if (ended && (this.reading === null || ended.time >= this.reading.time)) this.reading = ended;
    const { running } = this.tracker;
    if (running && running !== this.running) this.reading = { time: running.triggeredAt, seen: running.seen };
    this.running = running;
  }

  /** Begins anew at `now` where what holds has begun since `before`. */
  forget(before: bigint, now: bigint): void {
    if (this.span === null || this.span.triggeredAt <= before) return;
    this.tracker.load(null);
    this.signal.load(null, now);
    this.reading = this.running = null;
  }

  evidence(holds: boolean): LeafEvidence {
    const { reading, field, condition } = this;
    return showLeaf(this, { topic: condition.topic, holds, reading, samples: field?.trace.samples ?? [] });
  }

  /** Safe for JSON. */
  save(): SavedLeaf {
    const { field, reading, tracker, signal } = this;
    const holdsUntil = field === null || field.nextAt === never ? null : field.nextAt;
    const latest = field?.trace.samples ?? [];
    const samples = { times: latest.map(({ time }) => time), values: latest.map(({ value }) => value) };
    return savedLeaf.encode({ holdsUntil, samples, reading, tracker: tracker.save(), signal: signal.save() });
  }

  /** Goes on from what `save` returned, or begins at `since` where it is null. Throws a ZodError for anything else. */
  load(saved: unknown, since: bigint): void {
    const state = saved === null ? null : savedLeaf.decode(saved as SavedLeaf);
    this.tracker.load(state?.tracker ?? null);
    this.signal.load(state ? state.signal : null, since);
    this.reading = state?.reading ?? null;
    this.running = this.tracker.running;
    if (this.field === null) return;
    this.field.goOn(state?.holdsUntil ?? never);
    const { times = [], values = [] } = state?.samples ?? {};
    this.field.trace.samples = times.map((time, at) => ({ time, value: values[at]! }));
  }
}
