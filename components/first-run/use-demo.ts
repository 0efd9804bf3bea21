"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/product/toast";
import { useTRPC } from "@/components/trpc/client";

/** Creating and removing the demo fleet. Both change nearly every list, so all queries are refetched. */
export function useDemo() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const start = useMutation(
    trpc.demo.start.mutationOptions({
      onSuccess: (status) => {
        queryClient.setQueryData(trpc.demo.status.queryKey(), status);
        void queryClient.invalidateQueries(trpc.overview.pathFilter());
      },
      onError: (error) => toast.failure(error, { title: "The demo fleet was not created" }),
    }),
  );
  const remove = useMutation(
    trpc.demo.remove.mutationOptions({
      onSuccess: () => {
        void queryClient.invalidateQueries();
        toast.success("The demo fleet was removed");
      },
      onError: (error) => toast.failure(error, { title: "The demo fleet was not removed" }),
    }),
  );
  return { start, remove };
}
