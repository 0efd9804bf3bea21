"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { listen, type Change } from "./stream";

/** Which procedures' answers a change of a kind makes stale. */
const stale: Record<string, readonly string[]> = {
  device: ["devices"],
  group: ["groups", "devices"],
  recording: ["recordings"],
  event: ["events"],
  rule: ["rules"],
  alert: ["alerts", "devices"],
  channel: ["channels"],
  silence: ["silences"],
  member: ["members", "invitations", "organizations"],
  api_key: ["apiKeys"],
  audit: ["audit"],
};

/** Keeps what is on screen true: answers that a change made stale are fetched again, at most every half second. */
export function LiveUpdates({ organizationUid }: { organizationUid: string }) {
  const queryClient = useQueryClient();
  useEffect(() => {
    const waiting = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let opened = false;
    const refresh = (routers: readonly string[]) => {
      for (const router of routers) waiting.add(router);
      timer ??= setTimeout(() => {
        timer = undefined;
        const now = new Set(waiting);
        waiting.clear();
        void queryClient.invalidateQueries({
          predicate: ({ queryKey: [path] }) => Array.isArray(path) && now.has(String(path[0])),
        });
      }, 500);
    };
    const stop = listen(organizationUid, {
      onChange: ({ kind }: Change) => refresh(stale[kind] ?? []),
      // The first opening follows the page's own fetches; a later one means that changes may have been missed.
      onOpen: () => {
        document.documentElement.dataset.live = "open";
        if (opened) refresh(Object.values(stale).flat());
        opened = true;
      },
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [organizationUid, queryClient]);
  return null;
}
