"use client";

import { useQueries, type UseQueryOptions } from "@tanstack/react-query";
import { EmptyState } from "@/components/kit/empty-state";
import type { FilterDefinition, Filters } from "@/components/kit/filters";

/** Filter values by key, as they stand in the address. */
export type FilterValues = Readonly<Record<string, string | null>>;

/** What `queryOptions` of a list procedure makes, as far as it matters here. */
interface ListQuery {
  queryKey: readonly unknown[];
}

export interface NoMatchesProps<Query extends ListQuery> {
  /** Plural of what was searched: "devices". */
  noun: string;
  definitions: readonly FilterDefinition[];
  filters: Filters;
  /**
   * The list's query for other filter values; ask for one row: `(values) => trpc.x.list.queryOptions({
   * ...input(values), limit: 1 })`.
   */
  probe: (values: FilterValues) => Query;
}

/** Says that nothing matches and, of several filters, without which one alone something would. */
export function NoMatches<Query extends ListQuery>({ noun, definitions, filters, probe }: NoMatchesProps<Query>) {
  const set = Object.keys(filters.values).filter((key) => filters.values[key]);
  const without = useQueries({
    queries: (set.length > 1 ? set : []).map(
      (key) => probe({ ...filters.values, [key]: null }) as unknown as UseQueryOptions<{ results: readonly unknown[] }>,
    ),
  });
  const guilty = set.filter((_, at) => (without[at]?.data?.results.length ?? 0) > 0);
  const labels = guilty.map((key) => definitions.find((each) => each.key === key)?.label ?? "Search");
  const words = new Intl.ListFormat("en", { type: "disjunction" }).format(labels.map((label) => label.toLowerCase()));
  return (
    <EmptyState
      kind="no-match"
      noun={noun}
      filterCount={filters.count}
      onClear={filters.clear}
      hint={labels.length > 0 ? `Without the filter by ${words} some would.` : undefined}
    />
  );
}
