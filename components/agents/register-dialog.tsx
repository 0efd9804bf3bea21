"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Dialog } from "@/components/kit/dialog";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { AgentForm } from "./agent-form";
import { ConnectAgent, type NewAgent } from "./connect-agent";

/** Registers an agent, then shows its secret once, with code that works, and waits for its first action. */
export function RegisterDialog({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const [agent, setAgent] = useState<NewAgent | null>(null);
  // In place of the dialog's own address: Back leads to the list.
  const open = (uid: string) => router.replace(`/agents/${uid}`);
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      locked={agent !== null}
      size="lg"
      title={agent ? `${agent.name} is registered` : "Register an agent"}
      description={agent ? undefined : "A program of yours that judges results as they come."}
    >
      {agent ? (
        <ConnectAgent agent={agent} onDone={() => open(agent.uid)} />
      ) : (
        <AgentForm
          action="Register"
          onCancel={onClose}
          onSubmit={async (input) => {
            const { secret, ...registered } = await client.agents.register.mutate(input);
            await queryClient.invalidateQueries(trpc.agents.pathFilter());
            if (secret !== undefined) return setAgent({ ...registered, secret });
            toast.success(`${registered.name} was changed`);
            open(registered.uid);
          }}
        />
      )}
    </Dialog>
  );
}
