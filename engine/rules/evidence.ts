import { isComposite, type Condition } from "@/domain/conditions/condition";
import { getKind } from "@/domain/conditions/registry";
import type { RuleEvidence } from "@/domain/conditions/rule-evidence";
import type { LeafEvidence, LeafType, ShownOf } from "@/domain/conditions/schema-registry";
import type { LeafTruths } from "@/engine/rules/composite";
import type { Episode } from "@/engine/rules/episodes";
import type { Interval } from "@/engine/rules/intervals";
import { leafNodes, type LeafNode, type PlanNode, type TopicPart } from "@/engine/rules/plan";
import { getEvaluator } from "@/engine/rules/registry";
import { jsonValue } from "@/engine/rules/samples";

const samplesPerHit = 20;
const samplesPerLeafAtLeast = 4;

export interface Reading {
  time: bigint;
  seen: ShownOf<LeafType>;
}

/** The last of `items` that begins at or before `at`, where they are in order of their beginning. */
function lastFrom<T>(items: readonly T[], at: bigint, beginning: (item: T) => bigint): T | undefined {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (beginning(items[middle]!) <= at) low = middle + 1;
    else high = middle;
  }
  return items[low - 1];
}

const getTriggerTime = (episode: Episode) => episode.triggeredAt;
const getStart = (interval: Interval) => interval.start;

// The starts and ends of episodes are exact, even where the trace of samples had to be thinned.
function toReading({ tracker }: TopicPart, at: bigint): Reading | null {
  const episode = lastFrom(tracker.episodes, at, getTriggerTime);
  // Of several samples of that instant, the one that triggered.
  if (episode?.triggeredAt === at) return { time: at, seen: episode.seen };
  const readings: (Reading | null)[] = [tracker.seenAt(at)];
  if (episode) readings.push({ time: episode.triggeredAt, seen: episode.seen }, episode.endedBy);
  return readings.reduce<Reading | null>(
    (latest, reading) => (reading && reading.time <= at && (!latest || reading.time >= latest.time) ? reading : latest),
    null,
  );
}

function leafEvidence(node: LeafNode, truths: LeafTruths, at: bigint, sampleLimit: number): LeafEvidence {
  const { condition, parts } = node;
  const interval = lastFrom(truths.get(node) ?? [], at, getStart);
  // What ends in the instant in which it began did hold then.
  const holds = interval !== undefined && (at < interval.end || at === interval.start);
  const readings = parts.map((part) => ({ part, reading: toReading(part, at) }));
  const cause = holds ? readings.find(({ part }) => part.tracker.topic === interval.cause.topic) : undefined;
  const latest = readings.reduce<(typeof readings)[number] | undefined>(
    (best, one) => (best?.reading && (!one.reading || one.reading.time <= best.reading.time) ? best : one),
    undefined,
  );
  const shown = cause ?? latest;
  return showLeaf(node, {
    topic: shown?.part.tracker.topic ?? condition.topic,
    holds,
    reading: shown?.reading ?? null,
    samples: shown?.part.stream?.trace.near(at, sampleLimit) ?? [],
  });
}

/** What the evidence of a leaf is made of. */
interface LeafSeen {
  topic: string;
  holds: boolean;
  /** The last value known at the trigger. */
  reading: Reading | null;
  samples: readonly { time: bigint; value: unknown }[];
}

/** The evidence of one leaf. */
export function showLeaf(
  { path, condition }: Pick<LeafNode, "path" | "condition">,
  { topic, holds, reading, samples }: LeafSeen,
): LeafEvidence {
  const kind = getKind(condition);
  return {
    path,
    type: condition.type,
    topic,
    field: kind.reads(condition)?.field ?? null,
    holds,
    ...(reading?.seen ?? getEvaluator(condition).show(undefined)),
    value_at: reading ? String(reading.time) : null,
    ...kind.criterion(condition),
    samples: samples.map(({ time, value }) => [String(time), jsonValue(value)]),
  };
}

/** How many samples the evidence of a rule of so many leaves shows of each. */
export const countSamples = (leaves: number): number =>
  Math.max(samplesPerLeafAtLeast, Math.floor(samplesPerHit / leaves));

export const getWindow = (condition: Condition): string | null =>
  isComposite(condition) ? (condition.hold ?? null) : getKind(condition).criterion(condition).window;

/** The evidence of a trigger that `interval` began; call it once every leaf has finished. */
export function buildEvidence(
  rule: { version: number; condition: Condition; root: PlanNode },
  truths: LeafTruths,
  interval: Interval,
): RuleEvidence {
  const leaves = leafNodes(rule.root);
  const sampleLimit = countSamples(leaves.length);
  return {
    rule_version: rule.version,
    topic: interval.cause.topic,
    window: getWindow(rule.condition),
    leaves: leaves.map((leaf) => leafEvidence(leaf, truths, interval.start, sampleLimit)),
    suppressed: interval.cause.suppressed,
    storm: false,
  };
}
