"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTRPC } from "@/components/trpc/client";

export interface SeriesRange {
  recordingUid: string;
  topic: string;
  field: string;
  fromNs: bigint;
  toNs: bigint;
  /** Points requested; the server may return up to twice as many. */
  points?: number;
  enabled?: boolean;
}

/** Requested ranges lie on a grid of half windows and extend half a window beyond both ends. */
function alignWindow(fromNs: bigint, toNs: bigint): { from: bigint; to: bigint } {
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
 * A field over a little more than the range that is shown, so that neighbouring ranges are loaded before they are
 * shown. Ranges lie on a grid: small movements request nothing, and plots share equal requests. Old points
 * stay while new ones load.
 */
export function useSeries({
  recordingUid: uid,
  topic,
  field,
  fromNs,
  toNs,
  points = 1_200,
  enabled = true,
}: SeriesRange) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { from, to } = alignWindow(fromNs, toNs);
  const options = (start: bigint, end: bigint) =>
    trpc.recordings.series.queryOptions(
      { uid, topic, field, from: String(start > 0n ? start : 0n), to: String(end), points },
      { staleTime: 10 * 60_000, gcTime: 2 * 60_000 },
    );
  const query = useQuery({ ...options(from, to), enabled, placeholderData: keepPreviousData });
  const ready = query.data !== undefined && !query.isPlaceholderData;
  const key = `${from}-${to}`;
  useEffect(() => {
    if (!ready || !enabled) return;
    // Prefetches the neighbouring ranges once this one is loaded and the view has stayed.
    const timer = setTimeout(() => {
      const step = (to - from) / 2n;
      void queryClient.prefetchQuery(options(from + step, to + step));
      if (from > step) void queryClient.prefetchQuery(options(from - step, to - step));
    }, 400);
    return () => clearTimeout(timer);
    // `options` is derived from the key and the names.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [ready, enabled, key, uid, topic, field, points]);
  return query;
}
