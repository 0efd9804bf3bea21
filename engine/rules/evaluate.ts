import type { Condition } from "@/domain/conditions/condition";
import { conditionSchema } from "@/domain/conditions/condition-schema";
import type { JsonValue } from "@/domain/conditions/evidence";
import type { RuleEvidence } from "@/domain/conditions/rule-evidence";
import { issueLine, toIssues } from "@/domain/issues";
import { durationOrZero, formatSpan } from "@/domain/time/duration";
import { computeOutcome, type EvaluationStatus, type LeafTruths, type Outcome } from "@/engine/rules/composite";
import { never } from "@/engine/rules/episodes";
import { buildEvidence } from "@/engine/rules/evidence";
import type { RecordingFacts } from "@/engine/rules/facts";
import type { Interval } from "@/engine/rules/intervals";
import { leafNodes, Planner, type LeafNode, type PlanNode, type TopicFeed } from "@/engine/rules/plan";

export type { RecordingFacts, TopicFacts } from "@/engine/rules/facts";

/** Limit of triggers of one rule in one recording; one more marks a storm and ends the evaluation. */
export const maxTriggers = 1000;

export interface RuleInput {
  uid: string;
  version: number;
  condition: Condition;
}

/** One trigger of a rule. Times are nanoseconds. */
export interface Hit {
  /** Where the episode began: the first sample of a window, the last message before a silence. */
  startedAt: bigint;
  triggeredAt: bigint;
  endedAt: bigint;
  /** The value at the trigger, safe for JSON: of the field, a count of messages, or seconds of silence. */
  value: JsonValue;
  /** The most extreme value of the episode, where the condition has a direction. */
  peak: number | null;
  evidence: RuleEvidence;
}

export interface RuleResult {
  ruleUid: string;
  version: number;
  status: EvaluationStatus;
  /** Why the rule was not evaluated. */
  reason?: string;
  hits: Hit[];
  /** Triggers suppressed by cooldowns. */
  suppressed: number;
  storm: boolean;
  notes: string[];
}

/** What an evaluation watches; the pass over columns feeds it directly. */
export interface EvaluationPlan {
  feeds: ReadonlyMap<string, TopicFeed>;
  leaves: readonly LeafNode[];
}

export interface Evaluation {
  readonly plan: EvaluationPlan;
  /** Whether the topic's messages are needed, and whether with their values. */
  wants(topic: string): "none" | "times" | "values";
  /**
   * One message; `value` is the decoded one, undefined where `wants` is "times". Messages of one topic must
   * come in order of time (else a RangeError); across topics any order gives identical results.
   */
  message(topic: string, logTime: bigint, value: unknown, publishTime?: bigint): void;
  /** To be called once, after the last message. */
  finish(): RuleResult[];
}

interface PlannedRule extends RuleInput {
  root: PlanNode;
}

const empty = { hits: [], suppressed: 0, storm: false, notes: [] };

function toHit(rule: PlannedRule, interval: Interval, truths: LeafTruths, endTime: bigint): Hit {
  const { cause } = interval;
  return {
    startedAt: interval.startedAt,
    triggeredAt: interval.start,
    // An episode still open when the recording ends has its end just after the last instant.
    endedAt: interval.end > endTime ? endTime : interval.end,
    value: cause.seen.value,
    peak: cause.peak !== null && Number.isFinite(cause.peak) ? cause.peak : null,
    evidence: buildEvidence(rule, truths, interval),
  };
}

/** Applies what concerns triggers rather than conditions: the cooldown, and the cap on triggers. */
function ruleResult(rule: PlannedRule, outcome: Outcome, truths: LeafTruths, facts: RecordingFacts): RuleResult {
  const { horizon } = outcome;
  const result: RuleResult = {
    ruleUid: rule.uid,
    version: rule.version,
    status: outcome.status,
    ...(outcome.reason === undefined ? {} : { reason: outcome.reason }),
    ...empty,
    hits: [],
    notes: [...new Set(outcome.notes)],
  };
  const cooldown = durationOrZero(rule.condition.cooldown);
  for (const interval of outcome.intervals) {
    if (horizon !== null && interval.start >= horizon) break;
    const last = result.hits[result.hits.length - 1];
    if (last && interval.start < last.triggeredAt + cooldown) {
      last.evidence.suppressed++;
      continue;
    }
    const hit = toHit(rule, interval, truths, facts.endTime);
    result.hits.push(hit);
    if (result.hits.length > maxTriggers) {
      hit.evidence.storm = true;
      result.storm = true;
      break;
    }
  }
  for (const hit of result.hits) result.suppressed += hit.evidence.suppressed;
  if (result.storm) {
    result.notes.push(`Stopped after ${maxTriggers} triggers; a storm was noted instead of the rest.`);
  } else if (horizon !== null) {
    result.storm = true;
    result.notes.push(
      `A condition changed too often: evaluated only for the first ${formatSpan(horizon - facts.startTime)}.`,
    );
  }
  return result;
}

/**
 * Prepares rules for one pass over a recording. A rule whose condition is not usable does not throw: its result is an
 * error.
 */
export function createEvaluation(rules: readonly RuleInput[], facts: RecordingFacts): Evaluation {
  const parsed = rules.map((rule) => ({ rule, condition: conditionSchema.safeParse(rule.condition) }));
  const usable = parsed.flatMap(({ condition }) => (condition.success ? [condition.data] : []));
  const planner = new Planner(facts, usable, maxTriggers + 1);
  const planned = parsed.map(({ rule, condition }) =>
    condition.success
      ? { ...rule, condition: condition.data, root: planner.node(condition.data) }
      : { ...rule, failure: toIssues(condition.error.issues).map(issueLine).join(" ") },
  );
  const { feeds } = planner;
  const end = facts.endTime + 1n;
  const roots = planned.flatMap((rule) => ("root" in rule ? [rule.root] : []));

  return {
    plan: { feeds, leaves: roots.flatMap(leafNodes) },

    wants(topic) {
      const feed = feeds.get(topic);
      if (!feed) return "none";
      return feed.streams.length > 0 ? "values" : feed.clocks.length > 0 ? "times" : "none";
    },

    message(topic, logTime, value) {
      const feed = feeds.get(topic);
      if (!feed) return;
      if (logTime < feed.last) throw new RangeError(`Messages of ${topic} are out of order.`);
      feed.last = logTime;
      feed.seen++;
      const { clocks, streams } = feed;
      for (let at = 0; at < clocks.length; at++) clocks[at]!.message(logTime);
      if (streams.length === 0) return;
      const holdsUntil = feed.gapLimit === null ? never : logTime + feed.gapLimit;
      for (let at = 0; at < streams.length; at++) streams[at]!.message(logTime, value, holdsUntil);
    },

    finish() {
      for (const { clocks, streams } of feeds.values()) {
        for (const clock of clocks) clock.finish(end);
        for (const stream of streams) stream.finish(end);
      }
      return planned.map((rule) => {
        if ("failure" in rule) {
          return { ruleUid: rule.uid, version: rule.version, status: "error", reason: rule.failure, ...empty };
        }
        const truths: LeafTruths = new Map();
        return ruleResult(rule, computeOutcome(rule.root, end, truths), truths, facts);
      });
    },
  };
}
