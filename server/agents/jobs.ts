import "@/server/agents/emit";
import { timeOutExecutions } from "@/server/agents/executions";
import { agentOutbox } from "@/server/agents/outbox";
import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";

// The executions' own rows say what is due; the job only wakes the outbox, and does not wait for agents.
export const wakeAgents = handle(jobs.wakeAgents, async () => {
  await timeOutExecutions();
  await agentOutbox().wake();
});
