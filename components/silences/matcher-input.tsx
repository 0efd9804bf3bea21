"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { FilterBar } from "@/components/kit/filter-bar";
import type { FilterDefinition, Filters } from "@/components/kit/filters";
import { severityOptions } from "@/components/product/severity-options";
import { useTRPC } from "@/components/trpc/client";
import { fleetPageSize, maxNamed } from "@/domain/limits";
import type { Matchers } from "./query";

const keys = ["device_ids", "rule_ids", "severities", "tags"] as const;
type Key = (typeof keys)[number];
/** The filter name of each matcher. */
const filterNames: Record<Key, string> = {
  device_ids: "device",
  rule_ids: "rule",
  severities: "severity",
  tags: "tag",
};

/** Names of the devices and rules that matchers name, by uid. */
export function useMatcherNames(list: readonly Matchers[]): Readonly<Record<string, string>> {
  const trpc = useTRPC();
  const deviceIds = [...new Set(list.flatMap((each) => each.device_ids ?? []))].sort().slice(0, maxNamed);
  const ruleIds = [...new Set(list.flatMap((each) => each.rule_ids ?? []))].sort().slice(0, maxNamed);
  const query = useQuery({
    ...trpc.silences.names.queryOptions({ device_ids: deviceIds, rule_ids: ruleIds }),
    enabled: deviceIds.length + ruleIds.length > 0,
    placeholderData: (before) => before,
    staleTime: 300_000,
  });
  return query.data ?? noNames;
}

const noNames: Readonly<Record<string, string>> = {};

function useDefinitions(chosen: Matchers): readonly FilterDefinition[] {
  const trpc = useTRPC();
  const devices = useQuery(trpc.devices.list.queryOptions({ limit: fleetPageSize.max })).data?.results;
  const rules = useQuery(trpc.rules.list.queryOptions({ limit: fleetPageSize.max })).data?.results;
  const tags = useQuery(trpc.devices.vocabulary.queryOptions()).data?.tags;
  const names = useMatcherNames([chosen]);
  return useMemo(() => {
    const options = (known: readonly { uid: string; name: string }[] | undefined, ids: readonly string[] = []) => [
      ...(known ?? []).map(({ uid, name }) => ({ value: uid, label: name })),
      ...ids.filter((id) => !known?.some(({ uid }) => uid === id)).map((id) => ({ value: id, label: names[id] ?? id })),
    ];
    return [
      { key: "device", label: "Device", options: options(devices, chosen.device_ids), multiple: true },
      { key: "rule", label: "Rule", options: options(rules, chosen.rule_ids), multiple: true },
      { key: "severity", label: "Severity", options: severityOptions, multiple: true },
      { key: "tag", label: "Tag", suggest: () => tags ?? [], multiple: true, example: "hall-2" },
    ];
  }, [devices, rules, tags, names, chosen.device_ids, chosen.rule_ids]);
}

/**
 * What a silence mutes as chips with typeahead: `device:arm-04 severity:critical`. Within one kind any matches; of tags
 * all must.
 */
export function MatcherInput({ value, onValueChange }: { value: Matchers; onValueChange: (value: Matchers) => void }) {
  const definitions = useDefinitions(value);
  const texts = Object.fromEntries(
    keys.map((key) => [filterNames[key], value[key]?.length ? value[key].join(",") : null]),
  );
  const filters: Filters = {
    values: texts,
    count: Object.values(texts).filter((text) => text !== null).length,
    set: (word, text) => {
      const key = keys.find((each) => filterNames[each] === word);
      if (key) onValueChange({ ...value, [key]: text ? text.split(",") : undefined });
    },
    clear: () => onValueChange({}),
  };
  return (
    <FilterBar
      definitions={definitions}
      filters={filters}
      label="What it mutes"
      placeholder="Device, rule, severity or tag"
    />
  );
}
