"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@/components/kit/dialog";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { AgentForm, type AgentInput } from "./agent-form";
import type { AgentDetail } from "./query";

/** Changes what an agent is set to; its secret stays. */
export function ChangeDialog({ agent, onClose }: { agent: Omit<AgentDetail, "execution_stats">; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      size="lg"
      title={`Change ${agent.name}`}
      description="Its secret stays as it is. For another one, delete the agent and register it again."
    >
      <AgentForm
        agent={{ ...agent, events: agent.events as AgentInput["events"] }}
        action="Save"
        onCancel={onClose}
        onSubmit={async (change) => {
          await client.agents.update.mutate({ uid: agent.uid, change });
          await queryClient.invalidateQueries(trpc.agents.pathFilter());
          toast.success(`${change.name} changed`);
          onClose();
        }}
      />
    </Dialog>
  );
}
