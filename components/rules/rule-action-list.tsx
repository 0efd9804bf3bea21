"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { SeverityStatus } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import { fleetPageSize } from "@/domain/limits";
import { severitiesWorstFirst, type Severity } from "@/domain/severity";
import type { ActionDraft, ScopeDraft } from "./draft";
import { actionLabels, type GroupNames } from "./labels";

/** The organization's channels by uid; a rule notifies at most as many as fit on one page. */
export function useChannels() {
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.channels.list.queryOptions({ limit: fleetPageSize.max }), staleTime: 30_000 });
  return data?.results;
}

/** The names of the organization's groups, where one of these rules is about some. */
export function useGroupNames(rules: readonly { scope: ScopeDraft | null }[]): GroupNames {
  const trpc = useTRPC();
  const groups = useQuery({
    ...trpc.groups.list.queryOptions({ limit: fleetPageSize.max }),
    enabled: rules.some(({ scope }) => (scope?.group_ids ?? []).length > 0),
    staleTime: 30_000,
  }).data?.results;
  return useMemo(() => new Map(groups?.map(({ uid, name }) => [uid, name])), [groups]);
}

/** What a rule does when it triggers, one line per action. */
export function RuleActionList({ actions }: { actions: readonly ActionDraft[] }) {
  const channels = useChannels();
  return (
    <ul className="flex flex-col gap-1">
      {actions.map((action, at) => {
        const Icon = actionLabels[action.type].icon;
        const severity = severitiesWorstFirst.find((each) => each === action.severity);
        return (
          <li key={at} className="flex min-w-0 items-center gap-2">
            <Icon aria-hidden className="size-3.5 shrink-0 text-muted" strokeWidth={1.75} />
            <span className="truncate">
              {text(action, channels?.find(({ uid }) => uid === action.channel_id)?.name)}
            </span>
            {severity && <SeverityStatus severity={severity satisfies Severity} className="text-meta" />}
          </li>
        );
      })}
    </ul>
  );
}

function text(action: ActionDraft, channel: string | undefined): string {
  switch (action.type) {
    case "notify":
      return `Notify ${channel ?? "a channel"}`;
    case "tag":
      return `Tag the recording ${action.value ?? ""}`;
    case "create_event":
      return `Create event “${action.label ?? ""}”`;
    default:
      return actionLabels[action.type].label;
  }
}
