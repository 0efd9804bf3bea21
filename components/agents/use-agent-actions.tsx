"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Pause, Pencil, Play, Send, SquareArrowOutUpRight, Trash2 } from "lucide-react";
import { Suspense, useState, type ReactNode } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { plural } from "@/components/kit/format";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import type { MenuItem } from "@/components/kit/menu";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { AgentDetail } from "./query";

// Loaded when an agent is changed, because it brings the form library.
const ChangeDialog = lazyDialog(async () => (await import("./change-dialog")).ChangeDialog);

type Target = Omit<AgentDetail, "execution_stats">;

export interface AgentActions {
  menu: (agent: Target, options?: { open?: boolean }) => MenuItem[];
  /** Sends a test event. */
  test: (agent: Pick<Target, "uid" | "name" | "callback_url">) => Promise<void>;
  /** Pauses agents or lets them go on, with Undo. */
  setActive: (agents: readonly Pick<Target, "uid" | "name" | "is_active">[], active: boolean) => Promise<void>;
  change: (agent: Target) => void;
  dialogs: ReactNode;
}

/** What can be done with an agent, the same in the list and on its page. `onDeleted` is called after its deletion. */
export function useAgentActions(onDeleted: (uid: string) => void): AgentActions {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reason = usePermissions().refusal({ role: "admin" });
  const [target, setTarget] = useState<Target | null>(null);
  // Kept while a dialog closes, so that its text does not change during the animation.
  const [kind, setKind] = useState<"change" | "delete" | null>(null);
  const open = (next: "change" | "delete") => (agent: Target) => {
    setTarget(agent);
    setKind(next);
  };
  const refresh = () => queryClient.invalidateQueries(trpc.agents.pathFilter());

  const test: AgentActions["test"] = async (agent) => {
    try {
      await client.agents.test.mutate({ uid: agent.uid });
      toast.success(agent.callback_url === "" ? `A test waits for ${agent.name}` : `A test is sent to ${agent.name}`);
      await refresh();
    } catch (error) {
      toast.failure(error, { title: "The test was not sent" });
    }
  };
  const update = async (uids: readonly string[], active: boolean) => {
    for (const uid of uids) await client.agents.update.mutate({ uid, change: { is_active: active } });
    await refresh();
  };
  const setActive: AgentActions["setActive"] = async (agents, active) => {
    const changed = agents.filter((agent) => agent.is_active !== active);
    const uids = changed.map(({ uid }) => uid);
    if (changed.length === 0) return;
    const name = changed.length === 1 ? (changed[0]?.name ?? "") : plural(changed.length, "agent");
    try {
      await update(uids, active);
      toast.undo(
        `${name} ${changed.length === 1 ? "is" : "are"} ${active ? "active" : "paused"}`,
        () => void update(uids, !active).catch(toast.failure),
        active ? undefined : "New events make no executions. What waits still can be acted on.",
      );
    } catch (error) {
      await refresh();
      toast.failure(error, { title: `${name} could not be changed` });
    }
  };
  const remove = async (agent: Target) => {
    try {
      await client.agents.delete.mutate({ uid: agent.uid });
    } catch (error) {
      toast.failure(error, { title: `${agent.name} was not deleted` });
      throw error;
    }
    toast.success(`${agent.name} was deleted`);
    onDeleted(agent.uid);
    await refresh();
  };

  const menu: AgentActions["menu"] = (agent, options = {}) => [
    ...(options.open
      ? [{ label: "Open", icon: <SquareArrowOutUpRight aria-hidden />, keys: "enter", href: `/agents/${agent.uid}` }]
      : []),
    {
      label: "Send test",
      icon: <Send aria-hidden />,
      keys: "t",
      disabledReason: reason,
      onSelect: () => void test(agent),
    },
    { label: "Change", icon: <Pencil aria-hidden />, disabledReason: reason, onSelect: () => open("change")(agent) },
    {
      label: agent.is_active ? "Pause" : "Activate",
      icon: agent.is_active ? <Pause aria-hidden /> : <Play aria-hidden />,
      disabledReason: reason,
      onSelect: () => void setActive([agent], !agent.is_active),
    },
    "separator",
    {
      label: "Delete",
      icon: <Trash2 aria-hidden />,
      danger: true,
      disabledReason: reason,
      onSelect: () => open("delete")(agent),
    },
  ];

  const dialogs = target && (
    <>
      <Suspense>
        {kind === "change" && <ChangeDialog key={target.uid} agent={target} onClose={() => setKind(null)} />}
      </Suspense>
      <ConfirmDialog
        open={kind === "delete"}
        onOpenChange={(next) => !next && setKind(null)}
        title={`Delete ${target.name}?`}
        description="The history of its executions goes with it. What it decided stays. A new secret needs a new agent."
        action="Delete agent"
        typeToConfirm={target.name.trim()}
        onConfirm={() => remove(target)}
      />
    </>
  );
  return { menu, test, setActive, change: open("change"), dialogs };
}
