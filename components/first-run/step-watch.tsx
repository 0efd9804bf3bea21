"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { useEffect, useSyncExternalStore } from "react";
import { previewKey } from "@/components/rules/preview-key";
import { useTRPC } from "@/components/trpc/client";
import { uidPrefixes } from "@/domain/uid";

const never = () => () => {};

/** Ticks the first steps that only the browser observes: an alert was opened; a rule's preview came back. */
export function StepWatch() {
  // Not on the server: there the request would delay what the page prefetches.
  const inBrowser = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  return inBrowser && <Watch />;
}

function Watch() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const pathname = usePathname();
  const { data } = useQuery({ ...trpc.demo.steps.queryOptions(), staleTime: 60_000 });
  const { mutate } = useMutation(
    trpc.demo.tick.mutationOptions({
      onSuccess: (steps) => queryClient.setQueryData(trpc.demo.steps.queryKey(), steps),
    }),
  );
  const watching = data !== undefined && !data.dismissed;
  const [evidence, backtest] = [watching && !data.done.evidence, watching && !data.done.backtest];

  useEffect(() => {
    if (evidence && pathname.startsWith(`/alerts/${uidPrefixes.alert}`)) mutate({ step: "evidence" });
  }, [evidence, pathname, mutate]);

  useEffect(() => {
    if (!backtest) return;
    return queryClient.getQueryCache().subscribe(({ type, query }) => {
      if (type === "updated" && query.queryKey[0] === previewKey && query.state.status === "success")
        mutate({ step: "backtest" });
    });
  }, [backtest, mutate, queryClient]);
  return null;
}
