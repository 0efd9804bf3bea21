"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/product/toast";
import { useTRPC } from "@/components/trpc/client";

/** Making and removing the demo fleet. Both change nearly every list, so all of them are asked for again. */
export function useDemo() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const start = useMutation(
    trpc.demo.start.mutationOptions({
      onSuccess: (status) => {
        queryClient.setQueryData(trpc.demo.status.queryKey(), status);
        void queryClient.invalidateQueries(trpc.overview.pathFilter());
      },
      onError: (error) => toast.failure(error, { title: "The demo fleet was not made" }),
    }),
  );
  const remove = useMutation(
    trpc.demo.remove.mutationOptions({
      onSuccess: () => {
        void queryClient.invalidateQueries();
        toast.success("The demo fleet is gone");
      },
      onError: (error) => toast.failure(error, { title: "The demo fleet was not removed" }),
    }),
  );
  return { start, remove };
}
