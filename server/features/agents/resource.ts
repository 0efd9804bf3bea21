import { z } from "zod";
import { agentActions, executionStatuses } from "@/domain/agents/execution-status";

export const AgentResource = z.object({
  uid: z.string(),
  name: z.string(),
  description: z.string(),
  events: z.array(z.string()),
  callback_url: z.string(),
  is_active: z.boolean(),
  project: z.string().nullable(),
  task_types: z.array(z.string()),
  demo: z.boolean(),
  last_seen_at: z.string().nullable().describe("When it last asked for or received an execution."),
  created_at: z.string(),
  updated_at: z.string(),
  warnings: z.array(z.string()).describe("Of `task_types`, what Muster does not have."),
});
export type AgentResource = z.output<typeof AgentResource>;

/** `secret` is present if and only if the agent is new. */
export const RegisteredAgent = AgentResource.extend({ secret: z.string().optional() });
export type RegisteredAgent = z.output<typeof RegisteredAgent>;

/** An agent with its number of executions by status. */
export const AgentDetail = AgentResource.extend({ execution_stats: z.record(z.string(), z.int()) });
export type AgentDetail = z.output<typeof AgentDetail>;

const json = z.record(z.string(), z.unknown());

export const ExecutionResource = z.object({
  uid: z.string(),
  registration: z.string(),
  event_type: z.string(),
  task: z.string().nullable(),
  result: z.string().nullable(),
  status: z.enum(executionStatuses),
  action: z.enum(agentActions).nullable(),
  event_payload: json.describe("The event as it is sent."),
  response_payload: json
    .nullable()
    .describe(
      "`action`, `reason` and `metadata` of the agent; before an action the object that its callback returned.",
    ),
  error_message: z.string().nullable(),
  /** Additive: what came with the action, and who submitted it. */
  reason: z.string().describe("Why the action was taken; empty without an action or a reason."),
  metadata: json.describe("What was sent with the action; empty otherwise."),
  acted_by: z
    .string()
    .nullable()
    .describe("Who submitted the action: the owner of the key, the agent, or a person; null without one."),
  by_hand: z.boolean().describe("Whether a person took the action in the dashboard."),
  attempts: z.int().describe("How often it was sent to the callback."),
  deadline: z.string().describe("Without an action it times out then."),
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type ExecutionResource = z.output<typeof ExecutionResource>;

/** One attempt to send an execution. */
export interface PushAttempt {
  uid: string;
  started_at: string;
  duration_ms: number;
  ok: boolean;
  status_code: number | null;
  error: string | null;
  response: string | null;
}

/** One execution with the attempts to send it, oldest first, and when it is sent next. For the dashboard. */
export interface ExecutionDetail extends ExecutionResource {
  next_attempt_at: string | null;
  attempt_log: PushAttempt[];
}

export const ActionTaken = z.object({ detail: z.string(), execution_uid: z.string(), action: z.enum(agentActions) });
export type ActionTaken = z.output<typeof ActionTaken>;

export const PingQueued = z.object({ detail: z.string(), execution_uid: z.string(), has_callback: z.boolean() });
export type PingQueued = z.output<typeof PingQueued>;
