"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { taskHref } from "./query";

/** Getting the next task, of a project or of all, and going to its page with it. */
export function useStart(project: string | null) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const [starting, setStarting] = useState(false);
  const reason = usePermissions().refusal();
  const start = async () => {
    if (starting) return;
    if (reason !== undefined) {
      toast.failure(reason);
      return;
    }
    setStarting(true);
    try {
      const found = await client.tasks.next.mutate(project === null ? {} : { project });
      if (!found) {
        toast.success("Nothing waits for you");
        await queryClient.invalidateQueries(trpc.tasks.queue.pathFilter());
        return;
      }
      // Its page works with the lease that comes with it.
      queryClient.setQueryData(trpc.tasks.editor.queryKey({ uid: found.task.uid }), found);
      router.push(taskHref(found.task.uid));
    } catch (error) {
      toast.failure(error, { title: "No task was given out", onRetry: () => void start() });
    } finally {
      setStarting(false);
    }
  };
  return { start: () => void start(), starting, reason };
}
