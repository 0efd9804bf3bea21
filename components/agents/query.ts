import { filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";

/** A row of the list of agents. */
export type Agent = Outputs["agents"]["overview"]["results"][number];
/** What an agent is set to, with its number of executions by status. */
export type AgentDetail = Outputs["agents"]["get"];
export type AgentActivity = NonNullable<Outputs["agents"]["activity"]>;
/** A row of the executions of an agent. */
export type Execution = Outputs["agents"]["executions"]["results"][number];
export type ExecutionDetail = Outputs["agents"]["execution"];

/** The list's query for the filters in the address; the server's prefetch and the browser must use the same. */
export const listInput = (values: AddressValues): Inputs["agents"]["overview"] => ({
  ...filterInput(["search", "mode", "is_active", "demo"], values),
  limit: 50,
});

/** The query of an agent's executions for the filters in the address. */
export const executionInput = (uid: string, values: AddressValues): Inputs["agents"]["executions"] => ({
  uid,
  ...filterInput(["status", "event_type", "action", "since"], values),
  limit: 100,
});

/** Executions with any action, newest first: the first one shows that an agent works. */
export const firstActionInput = (uid: string): Inputs["agents"]["executions"] => ({
  uid,
  action: "approve,reject,flag,skip",
  limit: 1,
});
