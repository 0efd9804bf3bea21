"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { exampleTime, type FilterDefinition } from "@/components/kit/filters";
import { eventTypeOptions } from "@/components/product/event-type";
import { recordingLooks } from "@/components/product/recording-cells";
import { useTRPC } from "@/components/trpc/client";
import { fleetPageSize } from "@/domain/limits";
import { recordingStatuses } from "@/domain/recordings/recording-status";
import { readCovered } from "./covered-time";

const statuses = recordingStatuses.map((value) => ({ value, label: recordingLooks[value].label }));

/** How far back lists look, as in the address. */
export const spans: readonly string[] = ["-1h", "-24h", "-7d", "-30d"];

/** Devices by name for a filter: the first 200, and the one that is filtered by. */
export function useDeviceOptions(chosen: string | null): { value: string; label: string; hint: string }[] {
  const trpc = useTRPC();
  const known = useQuery({ ...trpc.devices.list.queryOptions({ limit: fleetPageSize.max }), staleTime: 60_000 }).data
    ?.results;
  const missing = chosen !== null && known !== undefined && !known.some(({ uid }) => uid === chosen);
  const other = useQuery({
    ...trpc.devices.get.queryOptions({ uid: chosen ?? "" }),
    enabled: missing,
    retry: false,
  }).data;
  return useMemo(
    () =>
      [...(known ?? []), ...(other ? [other] : [])].map(({ uid, name, type }) => ({
        value: uid,
        label: name,
        hint: type,
      })),
    [known, other],
  );
}

/** What the recording list is filtered by; `deviceId` is the device it is filtered by now. */
export function useRecordingFilters(deviceId: string | null): readonly FilterDefinition[] {
  const trpc = useTRPC();
  const known = useQuery(trpc.recordings.vocabulary.queryOptions()).data;
  const devices = useDeviceOptions(deviceId);
  return useMemo(
    () => [
      { key: "device_id", label: "Device", options: devices },
      { key: "status", label: "Status", options: statuses, multiple: true },
      { key: "has_event", label: "Has events of", options: eventTypeOptions, multiple: true },
      { key: "has_topic", label: "Contains topic", suggest: () => known?.topics ?? [], example: "/motor/temp" },
      { key: "tags", label: "Tag", suggest: () => known?.tags ?? [], multiple: true, example: "night" },
      {
        key: "covers",
        label: "Covers",
        isTime: true,
        read: (text, zone) => readCovered(text, Date.now(), zone),
        suggest: () => ["today", "yesterday"],
        example: "tue 14:10",
      },
      { key: "started_since", label: "Started since", isTime: true, suggest: () => spans, example: "-7d" },
      { key: "started_until", label: "Started until", isTime: true, suggest: () => spans, example: exampleTime },
      { key: "since", label: "Created since", isTime: true, suggest: () => spans, example: "-24h" },
      { key: "until", label: "Created until", isTime: true, suggest: () => spans, example: exampleTime },
    ],
    [known, devices],
  );
}
