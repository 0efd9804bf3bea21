"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTRPC } from "@/components/trpc/client";

export interface SeriesRange {
  recordingUid: string;
  topic: string;
  field: string;
  /** A value computed from fields, in place of one. */
  expression?: string;
  fromNs: bigint;
  toNs: bigint;
  /** Points requested; the server may return up to twice as many. */
  points?: number;
  enabled?: boolean;
}

/** How long series are kept: what was recorded does not change. */
export const keptSeries = { staleTime: 10 * 60_000, gcTime: 2 * 60_000 };

/** Requested ranges lie on a grid of half windows and extend half a window beyond both ends. */
export function alignWindow(fromNs: bigint, toNs: bigint): { from: bigint; to: bigint } {
  const width = toNs > fromNs ? toNs - fromNs : 1n;
  let grid = 1n;
  while (grid < width) grid *= 2n;
  grid /= 2n;
  if (grid === 0n) grid = 1n;
  const from = (fromNs / grid) * grid - grid;
  const to = (toNs / grid + 1n) * grid + grid;
  return { from: from > 0n ? from : 0n, to };
}

/**
 * A field, or a value computed from fields, over a little more than the range that is shown, so that neighbouring ranges are loaded before they are
 * shown. Ranges lie on a grid: small movements request nothing, and plots share equal requests. Old points
 * stay while new ones load.
 */
export function useSeries({
  recordingUid: uid,
  topic,
  field,
  expression,
  fromNs,
  toNs,
  points = 1_200,
  enabled = true,
}: SeriesRange) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { from, to } = alignWindow(fromNs, toNs);
  const window = (start: bigint, end: bigint) => ({
    uid,
    from: String(start > 0n ? start : 0n),
    to: String(end),
    points,
  });
  const ofField = (start: bigint, end: bigint) =>
    trpc.recordings.series.queryOptions({ ...window(start, end), topic, field }, keptSeries);
  const ofExpression = (start: bigint, end: bigint) =>
    trpc.recordings.derived.queryOptions({ ...window(start, end), expression: expression ?? "" }, keptSeries);
  const isDerived = expression !== undefined;
  const series = useQuery({
    ...ofField(from, to),
    enabled: enabled && !isDerived,
    placeholderData: keepPreviousData,
  });
  const derived = useQuery({
    ...ofExpression(from, to),
    enabled: enabled && isDerived,
    placeholderData: keepPreviousData,
  });
  const query = isDerived ? derived : series;
  const ready = query.data !== undefined && !query.isPlaceholderData;
  const key = `${from}-${to}`;
  useEffect(() => {
    if (!ready || !enabled) return;
    // Prefetches the neighbouring ranges once this one is loaded and the view has stayed.
    const timer = setTimeout(() => {
      const step = (to - from) / 2n;
      const prefetch = (start: bigint, end: bigint) =>
        isDerived
          ? queryClient.prefetchQuery(ofExpression(start, end))
          : queryClient.prefetchQuery(ofField(start, end));
      void prefetch(from + step, to + step);
      if (from > step) void prefetch(from - step, to - step);
    }, 400);
    return () => clearTimeout(timer);
    // The options are derived from the key and the names.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [ready, enabled, key, uid, topic, field, expression, points]);
  return query;
}
