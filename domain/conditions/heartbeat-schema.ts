import { listLeaves, type Condition } from "@/domain/conditions/condition";
import { heartbeatTopic, readsHeartbeats } from "@/domain/conditions/heartbeat";
import { report, type Issues } from "@/domain/conditions/members";
import { parseDuration } from "@/domain/time/duration";

/** Limits of what a rule on heartbeats retains of a device between two of them. */
const heartbeatLimits = {
  /** The counts of all its conditions together. */
  count: 1_000,
  /** How far back a rate looks. */
  over: "1h",
} as const;

const maxOver = parseDuration(heartbeatLimits.over)!;

/** Reports a rule that looks at heartbeats and recordings both, or would have to retain too much of heartbeats. */
export function checkHeartbeats(condition: Condition, issues: Issues): void {
  const leaves = listLeaves(condition);
  if (!readsHeartbeats(condition)) return;
  if (leaves.some(({ topic }) => topic !== heartbeatTopic)) {
    report(issues, [], `Conditions on ${heartbeatTopic} cannot be combined with conditions on topics of recordings.`);
  }
  const count = leaves.reduce((sum, leaf) => sum + ("count" in leaf ? leaf.count : 0), 0);
  if (count > heartbeatLimits.count) {
    report(issues, [], `A rule on ${heartbeatTopic} can count at most ${heartbeatLimits.count} heartbeats in all.`);
  }
  if (leaves.some((leaf) => "over" in leaf && leaf.over !== undefined && (parseDuration(leaf.over) ?? 0n) > maxOver)) {
    report(issues, [], `On ${heartbeatTopic}, \`over\` can be at most ${heartbeatLimits.over}.`);
  }
}
