import { claimExecutions, dueExecutions, pushExecution, type Claim } from "@/server/features/agents/push-service";
import { Outbox } from "@/server/platform/outbox/outbox";
import { processWide } from "@/server/platform/process-wide";

/** How many executions one process pushes at once, in all and to one agent. */
const limits = { total: 64, first: 4, most: 16 } as const;

/** An outbox of executions to push; `organizationId` limits it to one organization's. */
export const makeAgentOutbox = (organizationId: string | null = null): Outbox<Claim> =>
  new Outbox(
    {
      name: "agents",
      due: (at, choice, limit) => dueExecutions(at, { ...choice, organizationId }, limit),
      claim: claimExecutions,
      deliver: pushExecution,
    },
    limits,
  );

/** This process's outbox. */
export const agentOutbox = (): Outbox<Claim> => processWide("agentOutbox", () => makeAgentOutbox());
