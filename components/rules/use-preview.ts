"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTRPCClient, type Inputs } from "@/components/trpc/client";
import type { ConditionDraft } from "@/domain/conditions/draft";
import { isComplete, tidy } from "./conditions/condition-draft";
import type { ScopeDraft } from "./draft";
import { previewKey } from "./preview-key";
import type { Preview } from "./query";
import { usePagePreview } from "./use-page-preview";

/** Which past recordings a preview looks at. */
export type PreviewRange = { kind: "latest" } | { kind: "days"; days: number } | { kind: "recording"; uid: string };

export interface PreviewInput {
  condition: ConditionDraft;
  scope: ScopeDraft | null;
  range: PreviewRange;
  /** A saved rule to compare with. */
  ruleId?: string | undefined;
}

/** The preview is requested this long (milliseconds) after the last change. */
const quietMs = 250;
const pollMs = 600;
const dayMs = 86_400_000;

function useQuiet(text: string | null): string | null {
  const [quiet, setQuiet] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(text), quietMs);
    return () => clearTimeout(timer);
  }, [text]);
  return quiet;
}

const toRange = (range: PreviewRange) => {
  if (range.kind === "recording") return { recordings: [range.uid] };
  // Rounded to the hour, so that the same request stays cached for a while.
  if (range.kind === "days")
    return { since: new Date(Math.floor((Date.now() - range.days * dayMs) / 3_600_000) * 3_600_000).toISOString() };
  return {};
};

function toRequest(key: string): Inputs["rules"]["preview"] {
  const { range, ruleId, ...rest } = JSON.parse(key) as PreviewInput;
  return { ...rest, rule_id: ruleId, ...toRange(range) };
}

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });

/**
 * Where a condition would have triggered. Requested shortly after each change; outdated requests are dropped, and the
 * last result is shown meanwhile. Once the page has the columns that the condition reads, it computes changes of numbers
 * itself, at once.
 */
export function usePreview(input: PreviewInput) {
  const client = useTRPCClient();
  const [progress, setProgress] = useState<number | null>(null);
  const complete = isComplete(input.condition);
  const { condition, scope, range, ruleId } = input;
  const newest = complete ? JSON.stringify({ condition: tidy(condition), scope, range, ruleId }) : null;
  const quiet = useQuiet(newest);
  const request = newest === null ? null : toRequest(newest);
  // Columns are loaded only after the server's answer, so that they do not slow it.
  const answer = useQueryClient().getQueryData([previewKey, quiet]);
  const page = usePagePreview(request, answer !== undefined && quiet === newest);
  const query = useQuery<Preview>({
    queryKey: [previewKey, quiet],
    enabled: quiet !== null && !page.covers,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 30_000,
    queryFn: async ({ signal }) => {
      const result = await client.rules.preview.mutate(toRequest(quiet!), { signal });
      if (!("run_uid" in result)) return result;
      try {
        for (;;) {
          const run = await client.rules.previewRun.query({ uid: result.run_uid }, { signal });
          if (run.status === "done" && run.result) return run.result;
          if (run.status === "failed") throw new Error(run.error ?? "The preview failed.");
          setProgress(run.progress);
          await wait(pollMs, signal);
        }
      } finally {
        setProgress(null);
      }
    },
  });
  const isWaiting = page.covers ? !page.isCurrent : query.isFetching || quiet !== newest;
  return {
    data: page.preview ?? query.data,
    error: page.covers ? null : query.error,
    refetch: query.refetch,
    complete,
    progress,
    waiting: complete && isWaiting,
    countHits: page.countHits,
  };
}
