"use client";

import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc/client";
import type { SeriesData } from "./series-columns";
import { alignWindow, keptSeries } from "./use-series";

/** What is drawn of a recording: a field, or a value computed from fields. */
export type SeriesSource = { topic: string; field: string } | { expression: string };

export interface LoadedSeries {
  data: SeriesData | undefined;
  error: { message: string } | null;
  isFetching: boolean;
  retry: () => void;
}

const isDerived = (source: SeriesSource): source is { expression: string } => "expression" in source;

/** Several series over the range that is shown, as `useSeries` loads one. */
export function useSeriesList(
  uid: string,
  sources: readonly SeriesSource[],
  { fromNs, toNs, points }: { fromNs: bigint; toNs: bigint; points: number },
): LoadedSeries[] {
  const trpc = useTRPC();
  const { from, to } = alignWindow(fromNs, toNs);
  const window = { uid, from: String(from), to: String(to), points };
  const fields = useQueries({
    queries: sources
      .flatMap((source) => (isDerived(source) ? [] : [source]))
      .map(({ topic, field }) => ({
        ...trpc.recordings.series.queryOptions({ ...window, topic, field }, keptSeries),
        placeholderData: keepPreviousData,
      })),
  });
  const derived = useQueries({
    queries: sources
      .flatMap((source) => (isDerived(source) ? [source] : []))
      .map(({ expression }) => ({
        ...trpc.recordings.derived.queryOptions({ ...window, expression }, keptSeries),
        placeholderData: keepPreviousData,
      })),
  });
  let [field, expression] = [0, 0];
  return sources.map((source) => {
    const query = isDerived(source) ? derived[expression++] : fields[field++];
    return {
      data: query?.data,
      error: query?.error ?? null,
      isFetching: query?.isFetching ?? false,
      retry: () => void query?.refetch(),
    };
  });
}
