"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Outputs } from "@/components/trpc/client";
import { isMutating } from "@/components/trpc/pending-mutations";
import type { ChangeKind } from "@/domain/changes";
import { setStaleSince } from "./liveness";
import { listen } from "./stream";

/** A whole router, or one procedure: `recordings.overview`. */
type QueryName = { [Router in keyof Outputs]: Router | `${Router}.${keyof Outputs[Router] & string}` }[keyof Outputs];

/** What shows that tasks were made. */
const tasksMade = [
  "tasks.neighbours",
  "tasks.ofMoments",
  "tasks.queue",
  "tasks.unassigned",
] as const satisfies readonly QueryName[];

/** The queries that a change of a kind makes stale. */
const stale: Readonly<Record<ChangeKind, readonly QueryName[]>> = {
  device: ["devices", "fleet", "health.now", "overview", "demo"],
  group: ["groups", "devices", "fleet", "overview.fleet", "overview.robots"],
  recording: [
    "fleet.picture",
    "fleet.timeline",
    "health.now",
    "overview.attention",
    "overview.fleet",
    "overview.robots",
    "recordings",
    "signals.tables",
  ],
  event: ["events", "recordings.overview", "recordings.events", "recordings.anchors"],
  rule: ["rules", "fleet.rules", "alerts.get"],
  alert: ["alerts", "demo.steps", "fleet", "health.now", "overview", "recordings.overview", "recordings.lanes"],
  channel: ["channels"],
  silence: ["silences", "alerts", "fleet", "health.now", "overview"],
  member: ["members", "invitations", "organizations"],
  api_key: ["apiKeys"],
  storage_config: ["storage"],
  robot_description: ["robotDescriptions"],
  metric_meaning: ["health", "fleet.devices", "overview.fleet", "overview.robots"],
  // The items of a dataset change with the tasks of its projects.
  dataset: ["datasets", "items", "moments", "overview.loop", "projects", ...tasksMade],
  task: ["tasks", "results", "issues"],
  slice: ["slices"],
  project: ["projects", "datasets.projects", "overview.loop", ...tasksMade],
  import: ["imports"],
  bulk_edit: ["items.edit", "items.edits", "items.editFailures"],
  webhook: ["webhooks", "deliveries"],
  export: ["exports", "slices.usedBy"],
  agent: ["agents"],
  model: ["models", "runs"],
  run: ["runs", "models.overview", "datasets.runs"],
  mcp_call: ["mcp.calls"],
};

/** Refetches the queries that a change made stale, at most every half second. */
export function LiveUpdates({ organizationUid }: { organizationUid: string }) {
  const queryClient = useQueryClient();
  useEffect(() => {
    const waiting = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (routers: readonly string[]) => {
      for (const router of routers) waiting.add(router);
      timer ??= setTimeout(flush, 500);
    };
    const flush = () => {
      // The page may be about to leave what it changed or deleted, and would ask for it once more.
      timer = isMutating() ? setTimeout(flush, 500) : undefined;
      if (timer !== undefined) return;
      const now = new Set(waiting);
      waiting.clear();
      void queryClient.invalidateQueries({
        predicate: ({ queryKey: [path] }) =>
          Array.isArray(path) && (now.has(String(path[0])) || now.has(path.join("."))),
      });
    };
    const stop = listen(organizationUid, {
      onChange: ({ kind }) => {
        // A tab older than the server may receive kinds that it does not know.
        if (kind in stale) refresh(stale[kind]);
      },
      onOpen: (missed) => {
        document.documentElement.dataset.live = "open";
        if (missed) refresh(Object.values(stale).flat());
      },
      onStale: (since) => {
        document.documentElement.dataset.live = since === null ? "open" : "stale";
        setStaleSince(since);
      },
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [organizationUid, queryClient]);
  return null;
}
