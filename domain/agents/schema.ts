import { z } from "zod";
import {
  agentActions,
  executionEventTypes,
  executionStatuses,
  agentModes,
  maxReasonLength,
} from "@/domain/agents/execution-status";
import {
  choice,
  choices,
  commaList,
  distinct,
  jsonObject,
  longPage,
  nonBlank,
  pageFields,
  queryBoolean,
  text,
  uid,
} from "@/domain/fields";
import { maxUrlLength } from "@/domain/limits";
import { agentEventTypes } from "@/domain/platform-events/schema";
import { taskTypes as knownTaskTypes } from "@/domain/projects/schema";
import { moment, timestamp } from "@/domain/time/fields";

export const AgentEvent = choice(agentEventTypes);

const fields = {
  name: nonBlank(255),
  events: distinct(AgentEvent, 100, 1),
  description: text(),
  /** Blank for an agent that polls for its executions. */
  callback_url: text(maxUrlLength),
  is_active: z.boolean(),
  /** Null for every project. */
  project: uid().nullable(),
  task_types: distinct(nonBlank(100), 100).describe("Only events of these types of task; empty for all."),
};
const optional = {
  description: fields.description.optional(),
  callback_url: fields.callback_url.optional(),
  is_active: fields.is_active.optional(),
  project: fields.project.optional(),
  task_types: fields.task_types.optional(),
};

/** The types that no task of Muster has, so that no event about a task matches them. */
export const listUnknownTaskTypes = (types: readonly string[]): string[] =>
  types.filter((type) => !knownTaskTypes.some((known) => known === type));

/** Registers an agent, or changes the given fields of an existing one. */
export const RegisterAgent = z.object({ name: fields.name, events: fields.events, ...optional });
export type RegisterAgent = z.output<typeof RegisterAgent>;

export const ReplaceAgent = z.object({
  name: fields.name,
  events: fields.events,
  description: fields.description.default(""),
  callback_url: fields.callback_url.default(""),
  is_active: fields.is_active.default(true),
  project: fields.project.default(null),
  task_types: fields.task_types.default([]),
});

export const UpdateAgent = z.object({ name: fields.name.optional(), events: fields.events.optional(), ...optional });
export type UpdateAgent = z.output<typeof UpdateAgent>;

export const AgentFilters = z.object(longPage());
export type AgentFilters = z.output<typeof AgentFilters>;

/** What the dashboard's list can be narrowed to. */
export const AgentListFilters = z.object({
  /** Part of the name or description. */
  search: text(255).optional(),
  mode: choices(agentModes).optional(),
  is_active: queryBoolean().optional(),
  demo: queryBoolean().optional(),
  ...pageFields({ default: 50, max: 200 }),
});
export type AgentListFilters = z.output<typeof AgentListFilters>;

const narrowing = {
  status: choices(executionStatuses).optional(),
  event_type: choices(executionEventTypes).optional(),
  action: choices(agentActions).optional(),
};

export const ExecutionFilters = z.object({
  ...narrowing,
  /** Additive filters. */
  project: text().optional(),
  task_types: commaList().optional(),
  since: timestamp().optional().describe("Only those created then or later."),
  ...longPage(),
});
export type ExecutionFilters = z.output<typeof ExecutionFilters>;

/** The same for the dashboard, where `since` may be a span such as `-24h`. */
export const ExecutionListFilters = z.object({
  ...narrowing,
  since: moment().optional(),
  ...pageFields({ default: 100, max: 500 }),
});
export type ExecutionListFilters = z.output<typeof ExecutionListFilters>;

export const actionFields = { action: choice(agentActions), reason: text(maxReasonLength), metadata: jsonObject() };

export const SubmitAction = z.object({
  execution: uid(),
  action: actionFields.action,
  reason: actionFields.reason.optional(),
  metadata: actionFields.metadata.optional(),
});
export type SubmitAction = z.output<typeof SubmitAction>;

export const AgentUid = z.object({ uid: uid() });
export const ExecutionUid = z.object({ uid: uid() });
/** Finds the agent that registering this name would change. */
export const AgentName = z.object({ name: fields.name });
