"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { formatInstant } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { TaskForEditor } from "./query";
import type { ServerCalls } from "./server-calls";
import { TaskSession } from "./task-session";

const inputs = ["pointerdown", "pointermove", "keydown", "wheel"] as const;

/** The work on a task while the page shows it. */
export function useTaskSession(
  found: TaskForEditor,
  { organization, user, mayWork }: { organization: string; user: string; mayWork: boolean },
): TaskSession {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { zone } = useTimeZone();
  const [session] = useState(() => {
    const { uid } = found.task;
    const calls: ServerCalls<TaskForEditor> = {
      read: () => queryClient.fetchQuery({ ...trpc.tasks.editor.queryOptions({ uid }), staleTime: 0 }),
      open: async () => {
        const { lease } = await client.tasks.open.mutate({ uid, lease: true });
        if (!lease) throw new Error("The server gave no lease.");
        return lease.token;
      },
      takeOver: async () => (await client.tasks.takeOver.mutate({ uid })).token,
      renew: (lease, seconds) => client.tasks.renew.mutate({ uid, lease, seconds }),
      release: (lease, seconds) => client.tasks.release.mutate({ uid, lease, seconds }),
      save: (lease, request, seconds) =>
        client.tasks.saveDraft.mutate({ uid, change: { lease, ...request, seconds } }, { context: { alone: true } }),
    };
    const name = (at: number) => `yours of ${formatInstant(at, zone, "minute").slice(11, 16)}`;
    return new TaskSession({ owner: { organization, user, task: uid }, found, mayWork, name }, calls);
  });
  useEffect(() => {
    session.start();
    const onInput = () => session.noteInput();
    const onReturn = () => session.retry();
    const onHide = () => document.visibilityState === "hidden" && session.retry();
    for (const name of inputs) document.addEventListener(name, onInput, { passive: true, capture: true });
    addEventListener("online", onReturn);
    document.addEventListener("visibilitychange", onHide);
    return () => {
      for (const name of inputs) document.removeEventListener(name, onInput, { capture: true });
      removeEventListener("online", onReturn);
      document.removeEventListener("visibilitychange", onHide);
      session.stop();
    };
  }, [session]);
  return session;
}
