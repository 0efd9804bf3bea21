import { listLeaves, type Condition } from "@/domain/conditions/condition";
import { heartbeatTopic } from "@/domain/conditions/topics";

export { heartbeatTopic } from "@/domain/conditions/topics";

/** Whether a rule watches heartbeats as they come, rather than recordings. */
export const readsHeartbeats = (condition: Condition): boolean =>
  listLeaves(condition).some(({ topic }) => topic === heartbeatTopic);
