"use client";

import { useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { Alert } from "./query";

/** Removes a test alert with everything about it; `onRemoved` is called once it was removed. */
export function useRemoveTest(onRemoved: (uid: string) => void): (alert: Pick<Alert, "uid">) => void {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return ({ uid }) =>
    void client.alerts.removeTest.mutate({ uid }).then(
      () => {
        toast.success("Test alert removed");
        onRemoved(uid);
        return queryClient.invalidateQueries(trpc.alerts.pathFilter());
      },
      (error: unknown) => toast.failure(error, { title: "The test alert was not removed" }),
    );
}
