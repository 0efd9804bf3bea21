"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { readFilter } from "@/components/items/filter/read-filter";
import { readFailure } from "@/components/product/failure";
import { useTRPCClient, type Inputs, type Outputs } from "@/components/trpc/client";
import { hasParts } from "@/domain/exports/formats";
import { describeNothing } from "@/domain/exports/nothing";
import { messageAt } from "@/domain/issues";
import { hasSources, toSelection, type Draft, findSplitFault } from "./draft";

export type Preview = Outputs["exports"]["preview"];

/** The preview is requested this long (milliseconds) after the last change. */
const quietMs = 250;

export interface PreviewState {
  /** The last one that is known; undefined without one. */
  preview: Preview | undefined;
  /** It is not yet that of the draft. */
  waiting: boolean;
  error: unknown;
  /** What the server refuses about the sources. */
  refusal: string | undefined;
  /** Requests it immediately. */
  refresh: () => void;
}

/** What of the draft's export only its writers know: labels, losses and the first item. A moment after each change; nothing without a source or with a wrong filter. */
export function useExportPreview(draft: Draft): PreviewState {
  const client = useTRPCClient();
  const possible = hasSources(draft) && readFilter(draft.filter_query_string).fault === null;
  const wanted = possible ? JSON.stringify(toSelection(draft)) : null;
  const [quiet, setQuiet] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(wanted), quietMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  const query = useQuery<Preview>({
    queryKey: ["exports.preview", quiet],
    enabled: quiet !== null,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: ({ signal }) =>
      client.exports.preview.mutate(JSON.parse(quiet ?? "{}") as Inputs["exports"]["preview"], {
        signal,
        context: { alone: true }, // it takes longer than the count of the filter
      }),
  });
  const { issues } = readFailure(query.error);
  const refusal = ["datasets", "slices", "projects"].map((field) => messageAt(issues, field)).find(Boolean);
  return {
    preview: hasSources(draft) ? query.data : undefined,
    waiting: possible && (query.isFetching || quiet !== wanted),
    error: query.isFetching ? null : query.error,
    refusal: query.isFetching ? undefined : refusal,
    refresh: () => {
      if (quiet === wanted) void query.refetch();
      else setQuiet(wanted);
    },
  };
}

/** Why the draft cannot be exported, as far as its preview knows; null where it can. */
export function findFault(draft: Draft, preview: Preview | undefined): string | null {
  const fault = hasParts(draft.format) ? findSplitFault(draft) : null;
  if (fault !== null) return fault;
  const counted = preview?.formats.find(({ format }) => format === draft.format);
  if (counted?.refusal) return counted.refusal;
  const isWhole = preview !== undefined && preview.examined === preview.count;
  return counted && isWhole && counted.items === 0 ? describeNothing(counted.losses) : null;
}
