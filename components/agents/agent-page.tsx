"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Ellipsis, Pencil, Send } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Badge } from "@/components/kit/badge";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { CopyLink } from "@/components/kit/copy-link";
import { IconButton } from "@/components/kit/icon-button";
import { Menu } from "@/components/kit/menu";
import { PageHeader, usePageTitle } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { Switch } from "@/components/kit/switch";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { refuseShortcut, usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { AgentFacts } from "./agent-facts";
import { ExecutionList } from "./execution-list";
import type { AgentActivity, AgentDetail } from "./query";
import { useAgentActions } from "./use-agent-actions";

const list = { label: "Agents", href: "/agents" };

/** One agent: what it is set to, and each event that concerned it, with what was decided and why. */
export function AgentPage({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  // Once deleted here nothing of it is requested again while the list loads.
  const [deleted, setDeleted] = useState(false);
  const query = useQuery({ ...trpc.agents.get.queryOptions({ uid }), enabled: !deleted });
  const activity = useQuery({ ...trpc.agents.activity.queryOptions({ uid }), enabled: !deleted }).data ?? undefined;
  const actions = useAgentActions(() => {
    setDeleted(true);
    router.push("/agents");
  });
  const reason = usePermissions().refusal({ role: "admin" });
  const agent = query.data;
  usePageTitle(agent?.name);
  useShortcuts([
    refuseShortcut(
      { keys: "t", label: "Send test", group: "Agent", run: () => agent && void actions.test(agent) },
      reason,
    ),
  ]);

  if (isUnavailable(query)) {
    return (
      <PageFailure
        title={agent?.name}
        noun="agent"
        deletedMessage="This agent was deleted, and its executions with it."
        list={list}
        query={query}
      />
    );
  }
  if (!agent) return null;
  return (
    <>
      <PageHeader
        title={agent.name}
        trail={[list]}
        status={
          <span className="flex items-center gap-2">
            <Switch
              checked={agent.is_active}
              disabledReason={reason}
              aria-label={`${agent.name} is active`}
              onCheckedChange={(active) => void actions.setActive([agent], active)}
            />
            {!agent.is_active && <Badge>Paused</Badge>}
            {agent.demo && <Badge>Demo</Badge>}
          </span>
        }
        meta={agent.description || undefined}
        actions={
          <>
            <CopyLink compact />
            <Button icon={<Send aria-hidden />} disabledReason={reason} onClick={() => void actions.test(agent)}>
              Send test
            </Button>
            <Button
              icon={<Pencil aria-hidden />}
              className="max-sm:hidden"
              disabledReason={reason}
              onClick={() => actions.change(agent)}
            >
              Change
            </Button>
            <Menu
              items={actions.menu(agent)}
              trigger={
                <IconButton label={`Actions for ${agent.name}`} variant="secondary" icon={<Ellipsis aria-hidden />} />
              }
            />
          </>
        }
      />
      <div className="flex min-h-0 flex-1 flex-col border-t lg:flex-row">
        <About agent={agent} activity={activity} />
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          {!deleted && <ExecutionList agent={agent} onTest={() => void actions.test(agent)} />}
        </div>
      </div>
      {actions.dialogs}
    </>
  );
}

/** What the agent is set to: beside its executions, and folded above them where the screen is narrow. */
function About({ agent, activity }: { agent: AgentDetail; activity: AgentActivity | undefined }) {
  const [open, setOpen] = useState(false);
  return (
    <aside aria-label="About this agent" className="shrink-0 max-lg:border-b lg:w-80 lg:overflow-y-auto lg:border-r">
      <button
        type="button"
        aria-expanded={open}
        className="flex h-10 w-full items-center justify-between px-4 text-table font-medium -outline-offset-2! sm:px-6 lg:hidden"
        onClick={() => setOpen(!open)}
      >
        About this agent
        <ChevronDown aria-hidden className={cn("size-4 text-subtle transition-transform", open && "rotate-180")} />
      </button>
      <div
        className={cn(
          "px-4 py-4 sm:px-6 max-lg:max-h-[50dvh] max-lg:overflow-y-auto max-lg:pt-0",
          !open && "max-lg:hidden",
        )}
      >
        <AgentFacts agent={agent} activity={activity} />
      </div>
    </aside>
  );
}
