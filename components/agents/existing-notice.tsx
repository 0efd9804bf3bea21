"use client";

import { useQuery } from "@tanstack/react-query";
import { Info } from "lucide-react";
import { useEffect } from "react";
import { useTRPC } from "@/components/trpc/client";
import { describeMode } from "./agent-texts";
import type { AgentDetail } from "./query";

/** What the form holds so far. */
interface Values {
  name?: string | undefined;
  description?: string | undefined;
  mode?: string | undefined;
  callback_url?: string | undefined;
  events?: string[] | undefined;
  project?: string | null | undefined;
  task_types?: string[] | undefined;
}

const sameList = (a: readonly string[], b: readonly string[]) => [...a].sort().join("\n") === [...b].sort().join("\n");

/** What registering the values would change of an agent, in words. */
export function describeChanges(agent: Omit<AgentDetail, "execution_stats">, values: Values): string[] {
  const { events = [], task_types: types = [], project = null, description = "" } = values;
  const callback = values.mode === "poll" ? "" : (values.callback_url ?? "").trim();
  const added = events.filter((event) => !agent.events.includes(event));
  const removed = agent.events.filter((event) => !events.includes(event));
  return [
    ...(added.length > 0 ? [`it also gets ${added.join(", ")}`] : []),
    ...(removed.length > 0 ? [`it gets no more ${removed.join(", ")}`] : []),
    ...(callback === agent.callback_url
      ? []
      : [`${describeMode(agent)} → ${describeMode({ callback_url: callback })}`]),
    ...(project === agent.project ? [] : [project === null ? "events of every project" : "another project"]),
    ...(sameList(types, agent.task_types) ? [] : [types.length === 0 ? "tasks of every type" : types.join(", ")]),
    ...(description === agent.description ? [] : [description === "" ? "no description" : "another description"]),
  ];
}

/** Says before it is sent that the name is taken, and what registering it again would change. */
export function ExistingNotice({ values, onFound }: { values: Values; onFound: (found: boolean) => void }) {
  const trpc = useTRPC();
  const name = values.name ?? "";
  const agent = useQuery({ ...trpc.agents.named.queryOptions({ name }), enabled: name.trim() !== "" }).data ?? null;
  const found = agent !== null;
  useEffect(() => onFound(found), [found, onFound]);
  if (!agent) return null;
  const changes = describeChanges(agent, values);
  return (
    <p role="status" className="flex items-start gap-2 rounded-panel border border-border-strong px-3 py-2 text-table">
      <Info aria-hidden className="mt-0.5 size-4 shrink-0 text-info" />
      <span className="min-w-0">
        <span className="font-medium">{agent.name} exists.</span>{" "}
        {changes.length === 0 ? "This will change nothing of it." : `This will change it: ${changes.join("; ")}.`} Its
        secret stays as it is.
      </span>
    </p>
  );
}
