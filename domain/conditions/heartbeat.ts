import { listLeaves, type Condition } from "@/domain/conditions/condition";
import { heartbeatTopic } from "@/domain/conditions/topics";

export { heartbeatTopic } from "@/domain/conditions/topics";

/** The metrics that a condition reads. */
export const listMetrics = (condition: Condition): string[] => [
  ...new Set(
    listLeaves(condition).flatMap((leaf) =>
      leaf.topic === heartbeatTopic && "field" in leaf && leaf.field !== undefined ? [leaf.field] : [],
    ),
  ),
];

/** Whether a rule watches heartbeats as they come, rather than recordings. */
export const readsHeartbeats = (condition: Condition): boolean =>
  listLeaves(condition).some(({ topic }) => topic === heartbeatTopic);
