import { describeComposite } from "@/domain/conditions/composite";
import { isComposite, listLeaves, type Condition } from "@/domain/conditions/condition";
import { readsHeartbeats } from "@/domain/conditions/heartbeat";
import { narrowToMet } from "@/domain/conditions/met";
import { pickSample, readName, type MetricMeaning, type ReadMeaning } from "@/domain/conditions/metric";
import { durationPhrase } from "@/domain/conditions/phrases";
import { getKind } from "@/domain/conditions/registry";
import type { LeafCondition, LeafEvidence } from "@/domain/conditions/schema-registry";
import { capitalized, spanText } from "@/domain/conditions/sentences";
import { heartbeatTopic } from "@/domain/conditions/topics";

/** What the metric means that a condition on heartbeats reads; null for those that read none. */
function readLeaf(condition: LeafCondition, read: ReadMeaning, seen: readonly unknown[] = []): MetricMeaning | null {
  const metric = getKind(condition).reads(condition);
  if (metric === null || metric.mode === "count") return null;
  const compared = "value" in condition && getKind(condition).valueOnFieldScale ? [condition.value] : [];
  const { label, unit, kind } = read(metric.field, pickSample([...compared, ...seen].flat()));
  return { label, unit, kind };
}

function describe(condition: Condition, nested: boolean, read: ReadMeaning): string {
  if (!isComposite(condition)) {
    const { topic, keep_for: kept } = condition;
    const kind = getKind(condition);
    if (topic !== heartbeatTopic) return `${topic} ${kind.describe(condition)}${durationPhrase("kept for", kept)}`;
    const metric = readLeaf(condition, read);
    return `${kind.onHeartbeats.describe(condition, metric)}${durationPhrase("kept for", kept && spanText(kept))}`;
  }
  const parts = condition.conditions.map((part) => describe(part, condition.conditions.length > 1, read));
  // A metric may have several names, which have one meaning.
  return describeComposite(condition, readsHeartbeats(condition) ? [...new Set(parts)] : parts, nested);
}

/**
 * A condition as text, such as `/motor/temp data.value > 80 for 10s`, and on heartbeats `Battery below 20 % for 5 min`;
 * `read` says what metrics mean.
 */
export function describeCondition(condition: Condition, read: ReadMeaning = readName): string {
  const isLive = readsHeartbeats(condition);
  const { cooldown } = condition;
  const rest = cooldown === undefined ? "" : `, at most once in ${isLive ? spanText(cooldown) : cooldown}`;
  const text = describe(condition, false, read) + rest;
  return isLive ? capitalized(text) : text;
}

type Met = Pick<LeafEvidence, "topic" | "holds" | "value" | "unit" | "metric">;

/** A sentence for alerts: what held at the trigger, with the values seen. */
export function describeHit(rule: { condition: Condition }, hit: { evidence: { leaves: readonly Met[] } }): string {
  const conditions = listLeaves(rule.condition);
  const parts = hit.evidence.leaves.flatMap((leaf, index) => {
    const condition = conditions[index];
    if (!leaf.holds || !condition) return [];
    const kind = getKind(condition);
    const seen = { ...leaf, value: narrowToMet(condition, leaf.value) };
    if (condition.topic !== heartbeatTopic) return [kind.describeMet(condition, seen)];
    const metric = leaf.metric === undefined ? readLeaf(condition, readName) : leaf.metric;
    return [kind.onHeartbeats.describeMet(condition, seen, metric)];
  });
  return capitalized([...new Set(parts)].join(" and "));
}

/** Evidence of a rule about heartbeats with what its metrics mean. */
export const addMeanings = (
  { condition }: { condition: Condition },
  leaves: readonly LeafEvidence[],
  read: ReadMeaning,
): LeafEvidence[] => {
  const conditions = listLeaves(condition);
  return leaves.map((leaf, index) => {
    const own = conditions[index];
    if (!own || own.topic !== heartbeatTopic) return leaf;
    const samples = leaf.samples.map(([, value]) => value);
    return { ...leaf, metric: readLeaf(own, read, samples) };
  });
};
