"use client";

import { useQueries } from "@tanstack/react-query";
import { EmptyState } from "@/components/kit/empty-state";
import type { FilterDefinition, Filters } from "@/components/kit/filters";
import { toQuery } from "@/components/product/to-query";

/** Filter values by key, as in the address. */
export type FilterValues = Readonly<Record<string, string | null>>;

/** A list's filters, and a query that probes other filter values. */
export interface FilteredList {
  definitions: readonly FilterDefinition[];
  /** The parameter that free text goes to, such as `search`. */
  textKey?: string;
  filters: Filters;
  /**
   * The list's query for other filter values, limited to one row: `(values) => trpc.x.list.queryOptions({
   * ...input(values), limit: 1 })`.
   */
  probe: (values: FilterValues) => { queryKey: readonly unknown[] };
}

/** Shows that nothing matches and, of several filters, which one to remove to get results. */
export function NoMatches({ noun, list }: { noun: string; list: FilteredList }) {
  const { definitions, filters, probe } = list;
  const set = Object.keys(filters.values).filter((key) => filters.values[key]);
  const without = useQueries({
    queries: (set.length > 1 ? set : []).map((key) =>
      toQuery<{ results: readonly unknown[] }>(probe({ ...filters.values, [key]: null })),
    ),
  });
  const decisive = set.filter((_, at) => (without[at]?.data?.results.length ?? 0) > 0);
  const labels = decisive.map((key) => definitions.find((each) => each.key === key)?.label ?? "Search");
  const filterNames = new Intl.ListFormat("en", { type: "disjunction" }).format(
    labels.map((label) => label.toLowerCase()),
  );
  return (
    <EmptyState
      kind="no-match"
      noun={noun}
      filterCount={filters.count}
      onClear={filters.clear}
      hint={labels.length > 0 ? `Without the filter by ${filterNames} some would.` : undefined}
    />
  );
}
