import { anyLate, timeOutExecutions } from "@/server/features/agents/executions-service";
import { agentOutbox, agentPushes } from "@/server/features/agents/push-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";
import { anyDue, holdsAny } from "@/server/platform/outbox/queries";

// What is due is in the rows of the executions; the job only wakes the outbox and does not wait for agents.
export const wakeAgents = handle(
  jobs.wakeAgents,
  async () => {
    await timeOutExecutions();
    await agentOutbox().wake();
  },
  holdsAny(anyLate, anyDue(agentPushes)),
);
