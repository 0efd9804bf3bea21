import { z } from "zod";
import { isComposite, type Condition } from "@/domain/conditions/condition";
import type { JsonValue } from "@/domain/conditions/evidence";
import type { RuleEvidence } from "@/domain/conditions/rule-evidence";
import { durationOrZero } from "@/domain/time/duration";
import { never } from "@/engine/rules/episodes";
import { maxTriggers, type RuleInput } from "@/engine/rules/evaluate";
import { getWindow } from "@/engine/rules/evidence";
import { savedNumber, savedTime } from "@/engine/rules/saved";
import { leafEvidence, planStream, type ConditionStream } from "@/engine/rules/stream-group";
import type { Span } from "@/engine/rules/stream-span";
import { TriggerCount } from "@/engine/rules/trigger-count";
import { no, yes } from "@/engine/rules/truth";

/** A heartbeat's numbers, texts and booleans by name. */
export type Metrics = Readonly<Record<string, number | boolean | string>>;

/** Whether a condition holds. Unknown: nothing is known yet or any more, or it does not hold for its window yet. */
type Known = "true" | "false" | "unknown";

/** What happened at an instant of a stream. Times are nanoseconds. */
export type StreamEvent =
  | {
      kind: "begin";
      /** Where the episode began: the first sample of a window, the last heartbeat before a silence. */
      startedAt: bigint;
      triggeredAt: bigint;
      /** The value at the trigger, safe for JSON: of the metric, a count of heartbeats, or seconds of silence. */
      value: JsonValue;
      peak: number | null;
      evidence: RuleEvidence;
    }
  | {
      kind: "end";
      /** Of the trigger whose episode it is. */
      startedAt: bigint;
      triggeredAt: bigint;
      endedAt: bigint;
      peak: number | null;
      /** Recovery: it is known not to hold any more. Silence: it is unknown whether it does. */
      by: "recovery" | "silence";
      /** Triggers since the last end that the cooldown or a storm suppressed. */
      suppressed: number;
    };

export interface StreamStep {
  /** In order of time. */
  events: StreamEvent[];
  known: Known;
  /** Before this instant silence alone changes nothing; null where it never does. */
  nextAt: bigint | null;
}

const format = 1;

const savedStream = z.object({
  format: z.literal(format),
  version: z.int(),
  at: savedTime,
  leaves: z.array(z.unknown()),
  groups: z.array(z.unknown()),
  /** The trigger whose episode goes on, unless it was suppressed. */
  open: z.object({ startedAt: savedTime, triggeredAt: savedTime, peak: savedNumber.nullable() }).nullable(),
  coolsUntil: savedTime,
  suppressed: z.int(),
  triggers: z.array(z.tuple([z.int(), z.int()])),
});
export type SavedStream = z.input<typeof savedStream>;

/** The latest sample of a saved state, or the latest instant that silence decided; null where it says none. */
export const readEvaluatedAt = (saved: unknown): bigint | null =>
  savedStream.pick({ at: true }).safeDecode(saved as Pick<SavedStream, "at">).data?.at ?? null;

type OpenTrigger = NonNullable<z.output<typeof savedStream>["open"]>;

const finite = (peak: number | null): number | null => (peak !== null && Number.isFinite(peak) ? peak : null);

/**
 * Evaluates one version of a rule on heartbeats as they come, for one device after another. It finds the episodes that
 * an evaluation of all of them at once would find, with a gap limit of 150 s, and announces each at its trigger.
 */
export class RuleStream {
  private readonly condition: ConditionStream;
  private readonly cooldown: bigint;
  private readonly triggers = new TriggerCount();
  private events: StreamEvent[] = [];
  private at = -never;
  /** What held at the last instant, announced or not. */
  private holding: Span | null = null;
  private open: OpenTrigger | null = null;
  private coolsUntil = -never;
  private suppressed = 0;
  /** Whether an episode that begins now counts. */
  private counts = true;

  constructor(private readonly rule: RuleInput) {
    this.condition = planStream(rule.condition);
    this.cooldown = durationOrZero(rule.condition.cooldown);
  }

  /** The latest sample, or the latest instant that silence decided; earlier samples come too late. */
  get evaluatedAt(): bigint {
    return this.at;
  }

  /**
   * Goes to a device: to its saved state, or to the beginning of its stream at `since`, which is also where a state
   * cannot be used. Returns whether it was.
   */
  load(saved: unknown, since: bigint): boolean {
    const state = savedStream.safeDecode(saved as SavedStream);
    const { leaves, groups } = this.condition;
    if (state.success && state.data.version === this.rule.version && state.data.leaves.length === leaves.length) {
      try {
        this.restore(state.data, since);
        return true;
      } catch (error) {
        if (!(error instanceof z.core.$ZodError)) throw error;
      }
    }
    for (const leaf of leaves) leaf.load(null, since);
    for (const group of groups) group.load(null);
    this.triggers.load([]);
    [this.at, this.coolsUntil, this.suppressed] = [since - 1n, since, 0];
    this.open = this.holding = null;
    return false;
  }

  private restore(state: z.output<typeof savedStream>, since: bigint): void {
    const { root, leaves, groups } = this.condition;
    for (const [at, leaf] of leaves.entries()) leaf.load(state.leaves[at], since);
    for (const [at, group] of groups.entries()) group.load(state.groups[at]);
    this.triggers.load(state.triggers);
    ({ at: this.at, coolsUntil: this.coolsUntil, suppressed: this.suppressed, open: this.open } = state);
    this.holding = root.span;
  }

  /** The state of the device, safe for JSON and bounded in size. */
  save(): SavedStream {
    const { at, open, coolsUntil, suppressed } = this;
    const { leaves, groups } = this.condition;
    return savedStream.encode({
      format,
      version: this.rule.version,
      at,
      leaves: leaves.map((leaf) => leaf.save()),
      groups: groups.map((group) => group.save()),
      open,
      coolsUntil,
      suppressed,
      triggers: this.triggers.save(),
    });
  }

  /**
   * One heartbeat; null, and nothing is changed, where it is not later than `evaluatedAt`. `silence`: what begins by the
   * silence before it is announced and counted, or is `excused`, as where the platform itself could not receive any.
   */
  sample(time: bigint, metrics: Metrics, silence: "counts" | "excused" = "counts"): StreamStep | null {
    if (time <= this.at) return null;
    const { leaves, groups } = this.condition;
    const before = this.at;
    this.counts = silence === "counts";
    this.settleBefore(time);
    // What was not announced must not be gone on with: what holds from now on would never be announced either.
    if (!this.counts) {
      for (const leaf of leaves) leaf.forget(before, time);
      for (const group of groups) group.forget(before);
    }
    this.counts = true;
    for (const leaf of leaves) leaf.sample(time, metrics);
    this.settle(time);
    return this.step();
  }

  /** Evaluates that no heartbeat came up to and including `now`; does nothing before the step's `nextAt`. */
  advance(now: bigint): StreamStep {
    this.settleBefore(now + 1n);
    return this.step();
  }

  private get nextAt(): bigint {
    const { leaves, groups } = this.condition;
    return [...leaves, ...groups].reduce((least, { nextAt }) => (nextAt < least ? nextAt : least), never);
  }

  // One instant after another, so that every part sees the others as they were then.
  private settleBefore(limit: bigint): void {
    for (let next = this.nextAt; next < limit; next = this.nextAt) this.settle(next);
  }

  private settle(at: bigint): void {
    const { root, leaves, groups } = this.condition;
    for (const leaf of leaves) leaf.settle(at);
    for (const group of groups) group.update(at);
    this.at = at;
    const { span } = root;
    if (isSame(span, this.holding)) {
      if (this.open && span) this.open.peak = span.peak;
    } else {
      if (this.holding) this.end(at);
      if (span) this.begin(span);
    }
    this.holding = span;
  }

  private begin(span: Span): void {
    if (!this.counts) return;
    const { startedAt, triggeredAt, seen, peak } = span;
    const room = triggeredAt < this.coolsUntil ? "none" : this.triggers.add(triggeredAt, maxTriggers);
    if (room === "none") {
      this.suppressed++;
      return;
    }
    this.open = { startedAt, triggeredAt, peak };
    this.coolsUntil = triggeredAt + this.cooldown;
    const { condition, version } = this.rule;
    const evidence: RuleEvidence = {
      rule_version: version,
      topic: getTopic(condition),
      window: getWindow(condition),
      leaves: leafEvidence(this.condition),
      suppressed: 0,
      storm: room === "last",
    };
    this.events.push({ kind: "begin", startedAt, triggeredAt, value: seen.value, peak: finite(peak), evidence });
  }

  private end(at: bigint): void {
    if (!this.open) return;
    const { startedAt, triggeredAt } = this.open;
    // A leaf's own episode has also the peak of the instant at which it ended.
    const peak = finite(this.holding?.peak ?? this.open.peak);
    const by = this.condition.root.truth === no ? "recovery" : "silence";
    const { suppressed } = this;
    this.events.push({ kind: "end", startedAt, triggeredAt, endedAt: at, peak, by, suppressed });
    this.suppressed = 0;
    this.open = null;
  }

  private step(): StreamStep {
    const { events, nextAt } = this;
    const { truth } = this.condition.root;
    this.events = [];
    return {
      events,
      known: truth === yes ? "true" : truth === no ? "false" : "unknown",
      nextAt: nextAt === never ? null : nextAt,
    };
  }
}

const isSame = (a: Span | null, b: Span | null): boolean => a?.triggeredAt === b?.triggeredAt;

const getTopic = (condition: Condition): string =>
  isComposite(condition) ? getTopic(condition.conditions[0]!) : condition.topic;

export const createRuleStream = (rule: RuleInput): RuleStream => new RuleStream(rule);
