"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { exampleTime, type FilterDefinition } from "@/components/kit/filters";
import { eventTypeOptions } from "@/components/product/event-type";
import { severityFilterOptions } from "@/components/product/severity-options";
import { recordingTitle } from "@/components/recordings/query";
import { spans, useDeviceOptions } from "@/components/recordings/recording-filters";
import { useTRPC } from "@/components/trpc/client";

/** What the event list is filtered by; `chosen` are the device and recording it is filtered by now. */
export function useEventFilters(chosen: {
  deviceId: string | null;
  recordingId: string | null;
}): readonly FilterDefinition[] {
  const trpc = useTRPC();
  const known = useQuery(trpc.events.vocabulary.queryOptions()).data;
  const devices = useDeviceOptions(chosen.deviceId);
  const recording = useQuery({
    ...trpc.recordings.get.queryOptions({ uid: chosen.recordingId ?? "" }),
    enabled: chosen.recordingId !== null,
    retry: false,
  }).data;
  return useMemo(
    () => [
      { key: "type", label: "Type", options: eventTypeOptions, multiple: true },
      { key: "severity", label: "Severity", options: severityFilterOptions, multiple: true },
      { key: "device_id", label: "Device", options: devices },
      recording
        ? {
            key: "recording_id",
            label: "Recording",
            options: [{ value: recording.uid, label: recordingTitle(recording) }],
          }
        : { key: "recording_id", label: "Recording", example: "rec_…" },
      { key: "tags", label: "Tag", suggest: () => known?.tags ?? [], multiple: true, example: "slip" },
      { key: "metadata_filter", label: "Metadata", example: '{"value": 80}' },
      { key: "since", label: "Since", isTime: true, suggest: () => spans, example: "-24h" },
      { key: "until", label: "Until", isTime: true, suggest: () => spans, example: exampleTime },
    ],
    [known, devices, recording],
  );
}
