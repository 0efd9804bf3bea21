"use client";

import { useQuery } from "@tanstack/react-query";
import { readFailure } from "@/components/product/failure";
import type { RecordingDetail } from "@/components/recording/session/query";
import { useTRPC } from "@/components/trpc/client";

/** A recording that an address names. */
export interface Compared {
  recording: RecordingDetail | null;
  /** Whether there is no such recording in this organization. */
  isMissing: boolean;
  error: unknown;
  refetch: () => unknown;
  isNamed: boolean;
}

const refreshMs = 5_000;

/** Loads a recording of the comparison, again and again while it is processed. */
export function useCompared(uid: string | null): Compared {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.recordings.get.queryOptions({ uid: uid ?? "" }),
    enabled: uid !== null,
    refetchInterval: ({ state }) =>
      state.data?.status === "processing" || state.data?.status === "uploading" ? refreshMs : false,
  });
  const status = query.error === null ? undefined : readFailure(query.error).status;
  const isMissing = status === 404 || status === 400;
  return {
    recording: uid === null || isMissing ? null : (query.data ?? null),
    isMissing,
    error: isMissing ? null : query.error,
    refetch: query.refetch,
    isNamed: uid !== null,
  };
}
