import { agentEventTypes } from "@/domain/platform-events/schema";

export const executionStatuses = ["pending", "running", "completed", "failed", "timed_out"] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

/** How an agent gets its executions: sent to its callback, or read by itself. */
export const agentModes = ["push", "poll"] as const;
export type AgentMode = (typeof agentModes)[number];

/** What an execution is about: an event that agents subscribe to, or a test. */
export const executionEventTypes = [...agentEventTypes, "test.ping"] as const;

export const agentActions = ["approve", "reject", "flag", "skip"] as const;
export type AgentAction = (typeof agentActions)[number];

export const maxReasonLength = 2_048;
