"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import type { FilterDefinition } from "@/components/kit/filters";
import { useTRPC } from "@/components/trpc/client";
import { fleetPageSize } from "@/domain/limits";
import { getQueueTab, type QueueTabName } from "@/domain/tasks/queue-schema";
import { taskStates } from "@/domain/tasks/transitions";
import { taskStateLooks } from "./task-columns";

/** What a tab of tasks can be filtered by; without `project`, which the tasks of one project need not name. */
export function useTaskDefinitions(tab: QueueTabName, project: string | null, isFixed: boolean): FilterDefinition[] {
  const trpc = useTRPC();
  const shown = useDemoFilter();
  const projects = useQuery({
    ...trpc.projects.overview.queryOptions({ ...shown, limit: 100 }),
    enabled: !isFixed,
    staleTime: 60_000,
  }).data?.results;
  const members = useQuery(trpc.members.list.queryOptions({ limit: fleetPageSize.max })).data?.results;
  const batches = useQuery({
    ...trpc.projects.batches.queryOptions({ project: project ?? "", limit: 100 }),
    enabled: project !== null,
    retry: false,
  }).data?.results;
  return useMemo(() => {
    const { states, assignee } = getQueueTab(tab);
    const held = taskStates.filter((state) => states?.includes(state) ?? true);
    return [
      ...(isFixed
        ? []
        : [
            {
              key: "project",
              label: "Project",
              options: (projects ?? []).map(({ uid, name }) => ({ value: uid, label: name })),
            },
          ]),
      ...(project === null
        ? []
        : [
            {
              key: "batch",
              label: "Batch",
              options: (batches ?? []).map(({ uid, number }) => ({ value: uid, label: `Batch ${number}` })),
            },
          ]),
      ...(held.length > 1
        ? [
            {
              key: "state",
              label: "State",
              multiple: true,
              options: held.map((state) => ({ value: state, label: taskStateLooks[state].label })),
            },
          ]
        : []),
      ...(assignee === undefined
        ? [
            {
              key: "assignee",
              label: "Assignee",
              options: [
                { value: "me", label: "Me" },
                { value: "none", label: "Nobody" },
                ...(members ?? []).map(({ user_uid: uid, username, email }) => ({
                  value: uid,
                  label: username,
                  hint: email,
                })),
              ],
            },
          ]
        : []),
    ];
  }, [tab, project, isFixed, projects, batches, members]);
}
