import { isGlob } from "@/domain/conditions/expressions";
import { getKind } from "@/domain/conditions/registry";
import type { Interval } from "@/engine/rules/intervals";
import { extend, intersection, toInterval, union } from "@/engine/rules/intervals";
import type { CompositeNode, LeafNode, PlanNode, TopicPart } from "@/engine/rules/plan";
import { getEvaluator } from "@/engine/rules/registry";

export type EvaluationStatus = "evaluated" | "not_applicable" | "error";

/** The result of a condition or of a part of one. */
export interface Outcome {
  status: EvaluationStatus;
  /** Why it was not evaluated. */
  reason?: string;
  /** Where it holds, in order of start. */
  intervals: Interval[];
  notes: string[];
  /** From this time on episodes are missing, so the result is unknown; null when all were retained. */
  horizon: bigint | null;
}

/** Where each leaf holds, `hold` of its parent included: what evidence shows. */
export type LeafTruths = Map<LeafNode, Interval[]>;

type Refusal = { status: "not_applicable" | "error"; reason: string };

const earliest = (a: bigint | null, b: bigint | null): bigint | null => (a === null ? b : b === null || a < b ? a : b);

/** Why a condition could not be evaluated on a topic; null when it was. */
function findRefusal({ condition }: LeafNode, part: TopicPart): Refusal | null {
  if (getEvaluator(condition).watchesSilence) return null;
  const { topic, undecodable } = part.feed.facts;
  const field = getKind(condition).reads(condition)?.field;
  if (field !== undefined && undecodable !== undefined) {
    return { status: "error", reason: `${topic} cannot be decoded: ${undecodable}` };
  }
  if (part.feed.seen === 0) return { status: "not_applicable", reason: `No message of ${topic} could be read.` };
  const { stream, samples } = part;
  if (!stream || !samples) return null;
  if (stream.known === 0) {
    return stream.unreadable === null
      ? { status: "not_applicable", reason: `No message of ${topic} carries ${field}.` }
      : { status: "error", reason: `${field} of ${topic} cannot be read: ${stream.unreadable}` };
  }
  if (samples.incomparable === stream.known) {
    return { status: "not_applicable", reason: `${field} of ${topic} never holds a value that can be compared.` };
  }
  return null;
}

const refused = (refusals: readonly Refusal[]): Outcome => {
  const { status, reason } = refusals.find((refusal) => refusal.status === "error") ?? refusals[0]!;
  return { status, reason, intervals: [], notes: [], horizon: null };
};

function leafOutcome(node: LeafNode): Outcome {
  const { condition, parts } = node;
  if (parts.length === 0) {
    const reason = isGlob(condition.topic)
      ? `No topic of the recording matches ${condition.topic}.`
      : `${condition.topic} is not in the recording.`;
    return refused([{ status: "not_applicable", reason }]);
  }
  const refusals: Refusal[] = [];
  const lists: Interval[][] = [];
  const notes: string[] = [];
  let horizon: bigint | null = null;
  for (const part of parts) {
    const refusal = findRefusal(node, part);
    if (refusal) {
      refusals.push(refusal);
      continue;
    }
    lists.push(part.tracker.episodes.map(toInterval));
    const unreadable = part.stream?.unreadable ?? null;
    if (unreadable !== null) notes.push(`Some messages of ${part.tracker.topic} could not be read: ${unreadable}`);
    horizon = earliest(horizon, part.tracker.overflowAt);
    notes.push(...((part.samples ?? part.messages)?.notes() ?? []));
  }
  if (lists.length === 0) return refused(refusals);
  for (const { status, reason } of refusals) if (status === "error") notes.push(reason);
  return { status: "evaluated", intervals: lists.length === 1 ? lists[0]! : union(lists), notes, horizon };
}

function compositeOutcome(node: CompositeNode, end: bigint, truths: LeafTruths): Outcome {
  const { operator } = node.condition;
  const outcomes = node.children.map((child) => ({ child, ...computeOutcome(child, end, truths) }));
  const refusals: Refusal[] = outcomes.flatMap(({ status, reason = "" }) =>
    status === "evaluated" ? [] : [{ status, reason }],
  );
  if (refusals.length > 0 && (operator === "and" || refusals.length === outcomes.length)) return refused(refusals);

  const lists = outcomes.map(({ child, intervals }) => {
    const held = union([extend(intervals, node.hold, end)]);
    if (child.kind === "leaf") truths.set(child, held);
    return held;
  });
  const combined = operator === "or" ? union(lists) : lists.reduce(intersection);
  const extended = union([extend(combined, node.keepFor, end)]);
  return {
    status: "evaluated",
    intervals: extended.map((interval) => ({ ...interval, startedAt: interval.start })),
    notes: [...outcomes.flatMap(({ notes }) => notes), ...refusals.map(({ reason }) => reason)],
    horizon: outcomes.reduce<bigint | null>((least, { horizon }) => earliest(least, horizon), null),
  };
}

/** Combines the results of the leaves and fills `truths`; `end` is the instant just after the recording's last. */
export function computeOutcome(node: PlanNode, end: bigint, truths: LeafTruths): Outcome {
  if (node.kind === "group") return compositeOutcome(node, end, truths);
  const outcome = leafOutcome(node);
  truths.set(node, outcome.intervals);
  return outcome;
}
