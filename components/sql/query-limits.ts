"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { exampleTime, type FilterDefinition } from "@/components/kit/filters";
import { spans, useDeviceOptions } from "@/components/recordings/recording-filters";
import { useTRPC } from "@/components/trpc/client";

/** Recordings that are offered by name, the newest. */
const recordingsOffered = 100;

/** What a query is limited to. The keys are those of the API. */
export function useQueryLimits(): readonly FilterDefinition[] {
  const trpc = useTRPC();
  const devices = useDeviceOptions(null);
  const recordings = useQuery({
    ...trpc.recordings.list.queryOptions({ limit: recordingsOffered }),
    staleTime: 60_000,
  }).data?.results;
  return useMemo(
    () => [
      { key: "device_ids", label: "Device", options: devices, multiple: true },
      {
        key: "recordings",
        label: "Recording",
        multiple: true,
        options: recordings?.map(({ uid, name, device_name }) => ({
          value: uid,
          label: name || uid,
          hint: device_name ?? undefined,
        })),
      },
      { key: "since", label: "Since", isTime: true, suggest: () => spans, example: "-24h" },
      { key: "until", label: "Until", isTime: true, suggest: () => spans, example: exampleTime },
      { key: "limit", label: "Rows", suggest: () => rowLimits, example: "1000" },
    ],
    [devices, recordings],
  );
}

const rowLimits: readonly string[] = ["100", "1000", "10000"];
