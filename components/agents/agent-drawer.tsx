"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ButtonLink } from "@/components/kit/button";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { ResourceDrawer } from "@/components/product/resource-drawer";
import { useTRPC } from "@/components/trpc/client";
import { AgentFacts } from "./agent-facts";
import { ExecutionStatusMark } from "./execution-status";
import type { Agent } from "./query";
import type { AgentActions } from "./use-agent-actions";

export interface AgentDrawerProps {
  /** The agent shown; null closes the drawer. */
  uid: string | null;
  /** The same agent as the list has it. */
  row: Agent | undefined;
  actions: AgentActions;
  onClose: () => void;
}

/** An agent at a glance, beside the list. */
export function AgentDrawer({ uid, row, actions, onClose }: AgentDrawerProps) {
  const trpc = useTRPC();
  const enabled = uid !== null && row === undefined;
  const query = useQuery({ ...trpc.agents.get.queryOptions({ uid: uid ?? "" }), enabled });
  const activity = useQuery({ ...trpc.agents.activity.queryOptions({ uid: uid ?? "" }), enabled }).data;
  const agent: Agent | undefined = row ?? (query.data && activity ? { ...query.data, ...activity } : undefined);
  return (
    <ResourceDrawer<Agent>
      uid={uid}
      noun="agent"
      resource={agent}
      getName={({ name }) => name}
      subtitle={({ is_active }) => <span>{is_active ? "Active" : "Paused"}</span>}
      links={(shown) => (
        <ButtonLink href={`/agents/${shown.uid}`} size="sm">
          Open
        </ButtonLink>
      )}
      menu={(shown) => actions.menu(shown)}
      query={query}
      onClose={onClose}
    >
      {(shown) => (
        <>
          {shown.description && <p className="text-body">{shown.description}</p>}
          <AgentFacts agent={shown} activity={shown} />
          <section>
            <h3 className="mb-2 text-table font-semibold">Latest executions</h3>
            <LatestExecutions uid={shown.uid} />
          </section>
        </>
      )}
    </ResourceDrawer>
  );
}

function LatestExecutions({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.agents.executions.queryOptions({ uid, limit: 8 }));
  const executions = query.data?.results;
  if (query.error)
    return (
      <ErrorState error={query.error} title="The executions could not be loaded" onRetry={() => void query.refetch()} />
    );
  if (!executions) return <SkeletonText lines={3} />;
  if (executions.length === 0) return <p className="text-table text-muted">No event has concerned it yet.</p>;
  return (
    <ul className="flex flex-col text-table">
      {executions.map((execution) => (
        <li key={execution.uid} className="flex h-8 items-center justify-between gap-3 border-b last:border-0">
          <Link
            href={`/agents/${uid}?selected=${execution.uid}`}
            className="min-w-0 truncate text-accent-text hover:underline"
          >
            {execution.about ?? execution.event_type}
          </Link>
          <span className="flex shrink-0 items-center gap-4 text-muted">
            <ExecutionStatusMark execution={execution} />
            <RelativeTime value={execution.created_at} rich={false} />
          </span>
        </li>
      ))}
    </ul>
  );
}
