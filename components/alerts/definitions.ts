"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { exampleTime, type FilterDefinition } from "@/components/kit/filters";
import { severityFilterOptions } from "@/components/product/severity-options";
import { useTRPC } from "@/components/trpc/client";
import { fleetPageSize } from "@/domain/limits";
import type { FilterKey } from "./query";

const severities = severityFilterOptions.map((option) =>
  option.value.startsWith(">=") ? { ...option, hint: option.value } : option,
);

const spans = [
  { value: "-1h", label: "Last hour" },
  { value: "-24h", label: "Last 24 hours" },
  { value: "-7d", label: "Last 7 days" },
  { value: "-30d", label: "Last 30 days" },
];

/** The filters of the inbox under the API's own names, with suggestions from the organization's data. */
export function useAlertDefinitions(): readonly (FilterDefinition & { key: FilterKey })[] {
  const trpc = useTRPC();
  const devices = useQuery(trpc.devices.list.queryOptions({ limit: fleetPageSize.max })).data?.results;
  const rules = useQuery(trpc.rules.list.queryOptions({ limit: fleetPageSize.max })).data?.results;
  const members = useQuery(trpc.members.list.queryOptions({ limit: fleetPageSize.max })).data?.results;
  return useMemo(
    () => [
      { key: "severity", label: "Severity", options: severities, multiple: true },
      {
        key: "device_id",
        label: "Device",
        options: (devices ?? []).map(({ uid, name, type }) => ({ value: uid, label: name, hint: type })),
        multiple: true,
      },
      {
        key: "rule_id",
        label: "Rule",
        options: (rules ?? []).map(({ uid, name }) => ({ value: uid, label: name })),
        multiple: true,
      },
      {
        key: "assignee",
        label: "Assignee",
        options: [
          { value: "me", label: "Me" },
          { value: "none", label: "Unassigned" },
          ...(members ?? []).map(({ username, email }) => ({ value: username, label: username, hint: email })),
        ],
        multiple: true,
      },
      { key: "since", label: "Since", isTime: true, suggest: () => spans.map(({ value }) => value), example: "-24h" },
      {
        key: "until",
        label: "Until",
        isTime: true,
        suggest: () => spans.map(({ value }) => value),
        example: exampleTime,
      },
      { key: "recording_id", label: "Recording", example: "rec_…" },
    ],
    [devices, rules, members],
  );
}
