import { timeOutExecutions } from "@/server/features/agents/executions-service";
import { agentOutbox } from "@/server/features/agents/push-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

// What is due is in the rows of the executions; the job only wakes the outbox and does not wait for agents.
export const wakeAgents = handle(jobs.wakeAgents, async () => {
  await timeOutExecutions();
  await agentOutbox().wake();
});
