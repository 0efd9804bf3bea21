"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { useEffect } from "react";
import { useTRPC } from "@/components/trpc/client";

/** Ticks the first steps that only the browser sees: an alert was opened; a rule's preview came back. */
export function StepWatch() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const pathname = usePathname();
  const { data } = useQuery({ ...trpc.demo.steps.queryOptions(), staleTime: 60_000 });
  const { mutate } = useMutation(
    trpc.demo.tick.mutationOptions({ onSuccess: (steps) => queryClient.setQueryData(trpc.demo.steps.queryKey(), steps) }),
  );
  const watching = data !== undefined && !data.dismissed;
  const [evidence, backtest] = [watching && !data.done.evidence, watching && !data.done.backtest];

  useEffect(() => {
    if (evidence && /^\/alerts\/al/.test(pathname)) mutate({ step: "evidence" });
  }, [evidence, pathname, mutate]);

  useEffect(() => {
    if (!backtest) return;
    const isPreview = (key: unknown) => Array.isArray(key) && JSON.stringify(key[0]) === '["rules","preview"]';
    const cache = queryClient.getMutationCache();
    return cache.subscribe(({ mutation }) => {
      if (mutation?.state.status === "success" && isPreview(mutation.options.mutationKey)) mutate({ step: "backtest" });
    });
  }, [backtest, mutate, queryClient]);
  return null;
}
