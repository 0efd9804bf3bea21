"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { EditorPrompts } from "../prompts/prompt-desk";

/** Milliseconds after which an answer is not waited for any more: the server gives a model 15 seconds. */
const timeoutMs = 20_000;

/** The models that can be asked what is in the picture of an item; none while that is not known. */
export function useTaskPrompts(item: string, mayWork: boolean): EditorPrompts | undefined {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { data } = useQuery({ ...trpc.models.pipelines.queryOptions(), enabled: mayWork, staleTime: 60_000 });
  return useMemo(() => {
    const models = (data ?? [])
      .filter(({ prompts }) => prompts.length > 0)
      .map(({ uid, name, model_name: model, prompts }) => ({ uid, name: `${model} (${name})`, prompts }));
    if (models.length === 0) return undefined;
    return {
      models,
      ask: async ({ model, ...question }) => {
        const signal = AbortSignal.timeout(timeoutMs);
        const asked = { integration_uid: model, dataset_item_uid: item, ...question, labels: [...question.labels] };
        try {
          return await client.models.prompt.mutate(asked, { signal, context: { alone: true } });
        } catch (error) {
          if (signal.aborted) throw new Error("The model did not answer in time.", { cause: error });
          throw error;
        }
      },
    };
  }, [data, client, item]);
}
