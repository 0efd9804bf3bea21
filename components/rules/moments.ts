import { recordingHref } from "@/components/product/recording-links";
import { listLeaves } from "@/domain/conditions/condition";
import type { ConditionDraft } from "@/domain/conditions/draft";
import { exactIsoFromNs, nsPerSecond, parseDateTimeNs } from "@/domain/time/nanoseconds";
import { isDrawnOnField } from "./conditions/condition-draft";

/** A hit as previews and hit lists have it. */
export interface Hit {
  started_at: string;
  triggered_at: string;
  ended_at: string;
  triggered_ns: string;
}

/** The field that a condition is about, for drawing: that of its first part that has one and names a single topic. */
export function plottedLeaf(condition: ConditionDraft): ConditionDraft | null {
  const drawn = listLeaves(condition).filter(({ topic, field }) => topic && field && !topic.includes("*"));
  return drawn[0] ?? null;
}

/** Topic and field as one path, as the timeline's address has it. */
export const plotPath = ({ topic = "", field = "" }: ConditionDraft): string => `${topic}.${field}`;

/** Numbers that a threshold's line is drawn at. */
export function thresholdValues(condition: ConditionDraft): number[] {
  if (!isDrawnOnField(condition)) return [];
  const { value } = condition;
  return (Array.isArray(value) ? value : [value]).filter((each): each is number => typeof each === "number");
}

/** Where a recording opens five seconds before a hit, its field plotted, half a minute around it in view. */
export function hitHref(recording: string, hit: Pick<Hit, "triggered_ns">, condition: ConditionDraft): string {
  const at = BigInt(hit.triggered_ns);
  const leaf = plottedLeaf(condition);
  return recordingHref(recording, {
    t: exactIsoFromNs(at - 5n * nsPerSecond),
    from: exactIsoFromNs(at - 30n * nsPerSecond),
    to: exactIsoFromNs(at + 30n * nsPerSecond),
    ...(leaf && { plots: [plotPath(leaf)], topic: leaf.topic }),
  });
}

/** What is shaded behind a hit: the window it had to hold for, and from its trigger to its end. */
export function hitBands(hit: Hit) {
  const [from, trigger, to] = [
    parseDateTimeNs(hit.started_at) ?? 0n,
    BigInt(hit.triggered_ns),
    parseDateTimeNs(hit.ended_at) ?? 0n,
  ];
  return [
    ...(trigger > from ? [{ fromNs: from, toNs: trigger, kind: "pending" as const, label: "Held" }] : []),
    ...(to > trigger ? [{ fromNs: trigger, toNs: to, kind: "triggered" as const, label: "Triggered" }] : []),
  ];
}

/** How long a hit lasted, in milliseconds. */
export const hitMs = (hit: Pick<Hit, "started_at" | "ended_at">): number =>
  Math.max(0, Date.parse(hit.ended_at) - Date.parse(hit.started_at));
