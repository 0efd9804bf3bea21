"use client";

import { useQueries } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc/client";
import { EmptyState } from "@/components/ui/empty-state";
import type { FilterDefinition, Filters } from "@/components/ui/filters";
import { filterKeys, listInput } from "./query";

/** Says that nothing matches and, of several filters, without which one alone something would. */
export function NoDeviceMatches({ definitions, filters }: { definitions: readonly FilterDefinition[]; filters: Filters }) {
  const trpc = useTRPC();
  const set = filterKeys.filter((key) => filters.values[key]);
  const without = useQueries({
    queries: (set.length > 1 ? set : []).map((key) =>
      trpc.devices.list.queryOptions({ ...listInput({ ...filters.values, [key]: null }), limit: 1 }),
    ),
  });
  const guilty = set.filter((_, at) => without[at]?.data && without[at].data.results.length > 0);
  const labels = guilty.map((key) => definitions.find((each) => each.key === key)?.label ?? "Search");
  const words = new Intl.ListFormat("en", { type: "disjunction" }).format(labels.map((label) => label.toLowerCase()));
  return (
    <EmptyState
      kind="no-match"
      noun="devices"
      filterCount={filters.count}
      onClear={filters.clear}
      hint={labels.length > 0 ? `Without the filter by ${words} some would.` : undefined}
    />
  );
}
